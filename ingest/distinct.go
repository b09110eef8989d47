package ingest

import "github.com/cespare/xxhash/v2"

// distinctSessions counts the sessions of a stream once each, however often their segments are
// closed and opened again. It keeps a hash of each.
type distinctSessions map[uint64]struct{}

// distinctLimit bounds the hashes, which take about 40 MiB. A session beyond them counts each time
// that its segment is opened.
const distinctLimit = 1 << 20

// add reports whether a session is new.
func (d *distinctSessions) add(session string) bool {
	h := xxhash.Sum64String(session)
	if _, known := (*d)[h]; known {
		return false
	}
	if *d == nil {
		*d = distinctSessions{}
	}
	if len(*d) < distinctLimit {
		(*d)[h] = struct{}{}
	}
	return true
}
