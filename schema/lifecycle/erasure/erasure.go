// Package erasure stores the records of erasures in ClickHouse, and deletes the rows that they
// cover. An erasure covers sessions, all sessions with a value of a tag, or a tenant.
// internal/app/lifecycle/erasure carries it out.
package erasure

import "time"

// Kind is the kind of data that an erasure covers: sessions, a tag or a tenant.
type Kind string

const (
	Sessions Kind = "sessions"
	Tag      Kind = "tag"
	Tenant   Kind = "tenant"
)

// State is the progress of an erasure.
type State string

const (
	// Requested: the record is written.
	Requested State = "requested"
	// Hidden: no reader returns anything of the sessions, and no sink stores it.
	Hidden State = "hidden"
	// Removed: everything is deleted; files of deleted rows are not removed yet.
	Removed State = "removed"
	// Verified: a search found nothing that the erasure covers.
	Verified State = "verified"
)

// Erasure is the record of an erasure. A time is zero until the event has happened.
type Erasure struct {
	ID     string `json:"id"`
	Tenant string `json:"tenant"`
	Kind   Kind   `json:"kind"`
	State  State  `json:"state"`
	// Named are the sessions named in the request. They are removed from the record when it is
	// verified.
	Named []string `json:"named,omitempty"`
	// TagKey is the name of the tag. TagHash is the hash of its value with Salt; the value itself
	// is not stored.
	TagKey  string `json:"tag,omitempty"`
	TagHash string `json:"tag_hash,omitempty"`
	Salt    string `json:"salt,omitempty"`

	// Until is the greatest id of a stream that began before the erasure was hidden; "" until then.
	// Streams that began later are not covered.
	Until string `json:"until,omitempty"`

	RequestedAt time.Time `json:"requested_at"`
	RequestedBy string    `json:"requested_by"`
	Due         time.Time `json:"due_at"` // when the erasure should be verified
	HiddenAt    time.Time `json:"hidden_at,omitzero"`
	RemovedAt   time.Time `json:"removed_at,omitzero"`
	VerifiedAt  time.Time `json:"verified_at,omitzero"`

	// Found counts the covered data: at the time when it was hidden, and again before it is
	// removed.
	Found Counts `json:"found"`
	// Waits describes what the erasure waits for, or the error of its last attempt; "" for nothing.
	Waits string `json:"waits_for,omitempty"`
	// Remarks are notes for the operator, such as dead letters that name no session.
	Remarks []string `json:"remarks"`

	Progress Progress `json:"progress"`
	Version  uint64   `json:"-"`
}

// Counts is the amount of erased data.
type Counts struct {
	Sessions uint64 `json:"sessions"`
	Streams  uint64 `json:"streams"`
	Frames   uint64 `json:"frames"`
	Bytes    uint64 `json:"bytes"`
}

// Progress records the steps that are done between two states.
type Progress struct {
	// Blocks is the sequence number up to which the stream of blocks must be removed, 0 before it
	// is known. With partitions it is that of the first one, and MoreBlocks has those of the others.
	Blocks     uint64   `json:"blocks,omitempty"`
	MoreBlocks []uint64 `json:"more_blocks,omitempty"`
	// Keys is the same for the stream of idempotency keys. KeysUntil is when its messages from
	// before the erasure have expired.
	Keys        uint64    `json:"keys,omitempty"`
	KeysUntil   time.Time `json:"keys_until,omitzero"`
	BlocksGone  bool      `json:"blocks_gone"`
	LettersGone bool      `json:"letters_gone"`
	KeysGone    bool      `json:"keys_gone"`
	TokensGone  bool      `json:"tokens_gone"`
	// RowsAt is ClickHouse's time after the rows were deleted. Files of older parts are removed.
	RowsAt time.Time `json:"rows_at,omitzero"`
}

// Done reports whether the erasure is verified.
func (e *Erasure) Done() bool { return e.State == Verified }

// Overdue reports whether the erasure should have been verified by now.
func (e *Erasure) Overdue(now time.Time) bool { return !e.Done() && now.After(e.Due) }
