package engine

// selfExecutable returns the running program, also after its file was replaced or
// removed by an upgrade: a path would lead to the new one, or nowhere.
func selfExecutable() (string, error) { return "/proc/self/exe", nil }
