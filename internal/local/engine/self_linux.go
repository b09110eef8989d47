package engine

// selfExecutable returns a path of the running program that stays valid after an upgrade has
// replaced or removed its file.
func selfExecutable() (string, error) { return "/proc/self/exe", nil }
