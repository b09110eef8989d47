package search

import (
	"encoding/base64"
	"encoding/json"
	"math"

	"tapedeck/internal/problem"
)

// place is the position of a row in the order of hits, newest first. Its text form is a cursor.
type place struct {
	List    string `json:"l"`
	At      int64  `json:"a"` // ns
	Stream  string `json:"t"`
	Seq     uint64 `json:"q"`
	Session string `json:"s"`
	Fact    string `json:"f"`
}

const placeList = "search newest"

func (p place) cursor() *string {
	p.List = placeList
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	s := base64.RawURLEncoding.EncodeToString(text)
	return &s
}

// parsePlace parses a cursor; nil for "".
func parsePlace(cursor string) (*place, error) {
	if cursor == "" {
		return nil, nil
	}
	p := &place{}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, p) != nil || p.List != placeList {
		return nil, problem.BadParameter("cursor", "This cursor is not one of a search, newest first.",
			`the value of "next" on the page before, with the other parameters unchanged`)
	}
	return p, nil
}

// justBefore returns the position after all rows that were first recorded at a time or later.
func justBefore(at int64) *place {
	return &place{At: max(at, math.MinInt64+1) - 1, Seq: math.MaxUint64, Stream: "\xff"}
}
