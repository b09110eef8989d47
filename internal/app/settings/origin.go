package settings

import "fmt"

// Origin is where the value of a setting comes from.
type Origin struct {
	Kind OriginKind `json:"kind"`
	// Name is the variable, or the file and line.
	Name string `json:"name,omitempty"`
	line int    // of the file
}

// OriginKind is a kind of origin.
type OriginKind string

// Kinds of origins, in decreasing precedence.
const (
	FromFlag        OriginKind = "flag"
	FromEnvironment OriginKind = "environment"
	FromFile        OriginKind = "file"
	FromMemory      OriginKind = "memory" // a share of the memory of the process
	FromDefault     OriginKind = "default"
)

// IsDefault reports whether the setting was not set.
func (o Origin) IsDefault() bool { return o.Kind == FromDefault || o.Kind == FromMemory }

// String describes the place.
func (o Origin) String() string {
	switch o.Kind {
	case FromEnvironment, FromFile:
		return o.Name
	}
	return string(o.Kind)
}

// place returns the line in the configuration file, or elsewhere for other origins.
func (o Origin) place() int {
	if o.Kind == FromFile {
		return o.line
	}
	return elsewhere
}

// note returns the origin for an error message, "" for the command line.
func (o Origin) note() string {
	switch o.Kind {
	case FromEnvironment:
		return fmt.Sprintf(" (environment variable %s)", o.Name)
	case FromFile:
		return fmt.Sprintf(" (%s)", o.Name)
	}
	return ""
}
