# `. enable.sh` or `source enable.sh`: programs are compiled with this installation, and find it
# when they run.
if [ -n "${BASH_SOURCE:-}" ]; then
  _copse_script=${BASH_SOURCE[0]}
elif [ -n "${ZSH_VERSION:-}" ]; then
  eval '_copse_script=${(%):-%x}'
elif [ -n "${POPLAR_SDK_ENABLED:-}" ]; then
  _copse_script=$POPLAR_SDK_ENABLED/enable.sh
else
  echo "enable.sh: only bash and zsh tell a script where it is; set POPLAR_SDK_ENABLED to the folder of this file first" >&2
  return 1
fi
POPLAR_SDK_ENABLED=$(cd "$(dirname "$_copse_script")" && pwd)
export POPLAR_SDK_ENABLED
unset _copse_script
# In front of what is there, once.
_copse_prepend() {
  eval "_copse_old=\${$1:-}"
  case ":$_copse_old:" in
    *":$2:"*) ;;
    *) export "$1=$2${_copse_old:+:$_copse_old}" ;;
  esac
  unset _copse_old
}
_copse_prepend PATH "$POPLAR_SDK_ENABLED/bin"
_copse_prepend LD_LIBRARY_PATH "$POPLAR_SDK_ENABLED/lib"
_copse_prepend LIBRARY_PATH "$POPLAR_SDK_ENABLED/lib"
_copse_prepend CPATH "$POPLAR_SDK_ENABLED/include"
_copse_prepend CMAKE_PREFIX_PATH "$POPLAR_SDK_ENABLED"
_copse_prepend PYTHONPATH "$POPLAR_SDK_ENABLED/lib/python3/dist-packages"
unset -f _copse_prepend
