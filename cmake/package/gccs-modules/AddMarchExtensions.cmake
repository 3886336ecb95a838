# TargetAddMarchExtensions(TARGET): PopLibs asks for instructions of newer processors. Without them
# its libraries run on any processor that Copse itself runs on.
function(TargetAddMarchExtensions target)
endfunction()
