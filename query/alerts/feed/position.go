package feed

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Position says which changes a client has: those up to alerts.Settle before the latest one, and of the later ones those
// that it names. Its text is the id of an event: the latest version, and the differences to the others, in base 36.
type Position struct{ versions []uint64 } // in order; the last one is the latest

const (
	// named bounds how many changes the text of a position names. A client that resumes there receives the earlier ones of
	// the last minute again.
	named = 64
	base  = 36
)

var errPosition = errors.New("is no id of an event of this stream")

// ParsePosition parses the text of a position.
func ParsePosition(text string) (*Position, error) {
	parts := strings.Split(text, ".")
	latest, err := strconv.ParseUint(parts[0], base, 64)
	if err != nil || len(parts) > named {
		return nil, errPosition
	}
	p := &Position{versions: []uint64{latest}}
	for _, part := range parts[1:] {
		d, err := strconv.ParseUint(part, base, 64)
		if err != nil || d > latest {
			return nil, errPosition
		}
		p.Add(latest - d)
	}
	return p, nil
}

// String returns the text of the position.
func (p *Position) String() string {
	latest := p.latest()
	text := strconv.AppendUint(nil, latest, base)
	for i := len(p.versions) - 2; i >= max(0, len(p.versions)-named); i-- {
		text = strconv.AppendUint(append(text, '.'), latest-p.versions[i], base)
	}
	return string(text)
}

func (p *Position) latest() uint64 {
	if len(p.versions) == 0 {
		return 0
	}
	return p.versions[len(p.versions)-1]
}

// Settled returns the version up to which the client has all changes.
func (p *Position) Settled() uint64 { return settled(p.latest()) }

// Has reports whether the client has a change that was stored now or in the last minute.
func (p *Position) Has(version uint64) bool {
	_, found := slices.BinarySearch(p.versions, version)
	return found
}

// Add adds a change that the client has.
func (p *Position) Add(version uint64) {
	i, found := slices.BinarySearch(p.versions, version)
	if found {
		return
	}
	p.versions = slices.Insert(p.versions, i, version)
	first, _ := slices.BinarySearch(p.versions, p.Settled()+1)
	p.versions = slices.Delete(p.versions, 0, first)
}
