# TargetAddMarchExtensions(TARGET): PopLibs asks for instructions of newer processors. What it builds for Copse runs on any
# that Copse itself runs on.
function(TargetAddMarchExtensions target)
endfunction()
