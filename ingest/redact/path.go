package redact

import "strings"

// A Path names strings in JSON that are secrets by their place. It consists of the names of the
// members that lead to the string, separated by dots. Array indexes are left out.
type Path struct{ ID, Path string }

// addPaths adds the hashes of the paths for both directions.
func (e *Engine) addPaths(paths []Path) {
	e.paths = map[uint64]*rule{}
	for _, p := range paths {
		r := &rule{Rule: &Rule{ID: p.ID}}
		for direction := range uint64(2) {
			h := pathBegin(direction)
			for name := range strings.SplitSeq(p.Path, ".") {
				h = member(h, hash(nameBegin, []byte(name)))
			}
			e.paths[h] = r
		}
	}
}

// pathBegin is the hash of the empty path.
func pathBegin(direction uint64) uint64 { return hashBegin + 1000 + direction }
