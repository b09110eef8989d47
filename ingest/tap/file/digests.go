package file

import "fmt"

// Digests maps the digests of the files that a command has recorded to their paths. The server may
// not list these recordings yet.
type Digests map[string]string

// SameBytesError reports that a file has the same bytes as an earlier one.
type SameBytesError struct{ Path, First string }

// Error implements error.
func (e *SameBytesError) Error() string {
	return fmt.Sprintf("%s: it has the same bytes as %s", e.Path, e.First)
}

// Check returns a function that looks up a file's digest among the earlier files and then calls
// server, if server is not nil. If again is set, Check returns nil.
func (d Digests) Check(path string, again bool, server func(string) error) func(digest string) error {
	if again {
		return nil
	}
	return func(digest string) error {
		if first, ok := d[digest]; ok {
			return &SameBytesError{path, first}
		}
		if server != nil {
			if err := server(digest); err != nil {
				return err
			}
		}
		d[digest] = path
		return nil
	}
}
