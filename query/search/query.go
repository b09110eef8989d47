package search

import (
	"time"

	"tapedeck/query/sessionfilter"
	"tapedeck/schema"
)

// Order is the order of hits.
type Order string

// Orders.
const (
	Newest    Order = "newest"
	Relevance Order = "relevance"
)

// Orders lists all orders, the default first.
var Orders = []Order{Newest, Relevance}

// Query selects texts.
type Query struct {
	Tenant     string
	Expression *Expression
	From, To   time.Time             // half open, by the first frame of a text; zero for no limit
	Sessions   []string              // only texts of these sessions; nil for all
	Filter     *sessionfilter.Filter // only texts of sessions that pass; nil for all
	Kinds      []schema.MessageKind
	Roles      []Role
	Tools      []string // only calls and results of these tools
	Agents     []string
	Order      Order
	Limit      int // hits on a page, at least 1
	Cursor     string
	Within     time.Duration // maximum duration of the search; 0 means DefaultWithin
}

// DefaultWithin is the default of Query.Within.
const DefaultWithin = 3 * time.Second

// Answer is a page of hits.
type Answer struct {
	Items []Hit `json:"items"`
	// Next is the cursor of the next page; null on the last page. A page by relevance has no next
	// page.
	Next *string `json:"next"`
	// Partial reports that the search is incomplete, and Reason says why. Texts that were recorded
	// at SearchedTo or later were searched.
	Partial    bool       `json:"partial"`
	Reason     *string    `json:"reason"`
	SearchedTo *time.Time `json:"searched_to"`
	// Scanned lists the parts of the query that the index does not cover, for which texts were read
	// one by one.
	Scanned []string `json:"scanned"`
}

// Hit is a text that matches.
type Hit struct {
	SessionID      string    `json:"session_id"`
	SessionTitle   string    `json:"session_title"`
	SessionStarted time.Time `json:"session_started"`
	ID             string    `json:"id"` // id of the message, or of the span for its error
	Kind           string    `json:"kind"`
	Role           *Role     `json:"role"`
	Name           string    `json:"name"` // name of the tool
	Agent          string    `json:"agent"`
	SpanID         string    `json:"span_id"`
	RunID          string    `json:"run_id"`
	Complete       bool      `json:"complete"` // the text will not grow
	// Position is the position of the text's first frame, which is frame Seq of the stream
	// StreamID.
	Position string `json:"position"`
	StreamID string `json:"stream_id"`
	Seq      uint64 `json:"seq"`
	// At is when the bytes of the snippet's match arrived; OffsetMS is the same time since the
	// session's start.
	At       time.Time `json:"at"`
	OffsetMS float64   `json:"offset_ms"`
	Snippet  []Part    `json:"snippet"`
	// Matches is the number of matches in the text.
	Matches int      `json:"matches"`
	Score   *float64 `json:"score"` // null unless sorted by relevance
	seen    int64    // when the first frame arrived, ns
}
