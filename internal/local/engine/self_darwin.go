package engine

import "os"

// selfExecutable returns the path of the running program.
func selfExecutable() (string, error) { return os.Executable() }
