package query

import (
	"encoding/base64"
	"encoding/json"

	"tapedeck/internal/problem"
)

// Page is one page of a list.
type Page[Item any] struct {
	Items []Item `json:"items"`
	// Next is the cursor of the page after this one; null on the last.
	Next *string `json:"next"`
	*Completeness
}

// Mark is the position of the last item of a page in a list that is sorted by a number and then by
// an id. Its text form is a cursor, which clients send back unchanged. A mark contains the name of
// its list, so that other lists reject it.
type Mark struct {
	List string `json:"l"`
	Key  int64  `json:"k"`
	ID   string `json:"i"`
	// Now is the time at which the first page computed the ages of open sessions, if the order
	// depends on ages. Further pages use the same time.
	Now int64 `json:"n,omitempty"`
}

// Cursor returns the text form of the mark.
func (m Mark) Cursor() *string {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // strings and numbers can always be encoded
	}
	s := base64.RawURLEncoding.EncodeToString(text)
	return &s
}

// ParseMark parses a cursor of the given list. It returns nil for "", and a problem with status 400
// for a cursor that is invalid or belongs to another list.
func ParseMark(list, cursor string) (*Mark, error) {
	if cursor == "" {
		return nil, nil
	}
	m := &Mark{}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || json.Unmarshal(text, m) != nil || m.List != list {
		return nil, problem.BadParameter("cursor",
			"This cursor is not one of this list in this order.",
			`the value of "next" on the page before, with the other parameters unchanged`)
	}
	return m, nil
}
