package engine

import "os"

// selfExecutable is the path of the running program.
func selfExecutable() (string, error) { return os.Executable() }
