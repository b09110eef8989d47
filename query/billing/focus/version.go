package focus

import "fmt"

// Version is a version of the FOCUS specification.
type Version string

const (
	V12 Version = "1.2" // Cost and Usage only: this version has no other billing dataset
	V14 Version = "1.4"
)

// Versions lists the versions.
var Versions = []Version{V14, V12}

// ParseVersion parses a version; "" means 1.4.
func ParseVersion(text string) (Version, error) {
	switch v := Version(text); v {
	case "":
		return V14, nil
	case V12, V14:
		return v, nil
	}
	return "", fmt.Errorf("FOCUS version %q is not known: the versions are 1.2 and 1.4", text)
}
