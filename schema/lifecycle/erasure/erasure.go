// Package erasure keeps the records of erasures in ClickHouse, and removes there what they
// cover. An erasure is of sessions, of all sessions with a value of a tag, or of a tenant.
// internal/app/lifecycle/erasure carries it out.
package erasure

import "time"

// Kind is what an erasure covers: sessions, a tag or a tenant.
type Kind string

const (
	Sessions Kind = "sessions"
	Tag      Kind = "tag"
	Tenant   Kind = "tenant"
)

// State is how far an erasure is.
type State string

const (
	// Requested: the record is written.
	Requested State = "requested"
	// Hidden: no reader returns anything of the sessions, and no sink stores it.
	Hidden State = "hidden"
	// Removed: everything is deleted; files of deleted rows wait for their removal.
	Removed State = "removed"
	// Verified: nothing was found any more.
	Verified State = "verified"
)

// Erasure is a record. Times that are zero have not come.
type Erasure struct {
	ID     string `json:"id"`
	Tenant string `json:"tenant"`
	Kind   Kind   `json:"kind"`
	State  State  `json:"state"`
	// Named are the sessions that were named; the record loses them when it is verified.
	Named []string `json:"named,omitempty"`
	// TagKey is the name of the tag, TagHash the hash of its value with Salt. The value is
	// not stored.
	TagKey  string `json:"tag,omitempty"`
	TagHash string `json:"tag_hash,omitempty"`
	Salt    string `json:"salt,omitempty"`

	// Until is the greatest id of a stream that began before it was hidden, "" before that:
	// sessions that began later are not of the erasure.
	Until string `json:"until,omitempty"`

	RequestedAt time.Time `json:"requested_at"`
	RequestedBy string    `json:"requested_by"`
	Due         time.Time `json:"due_at"` // when it should be verified
	HiddenAt    time.Time `json:"hidden_at,omitzero"`
	RemovedAt   time.Time `json:"removed_at,omitzero"`
	VerifiedAt  time.Time `json:"verified_at,omitzero"`

	// Found counts what there was when it was hidden.
	Found Counts `json:"found"`
	// Waits is what the erasure waits for, or the error of its last attempt; "" if nothing.
	Waits string `json:"waits_for,omitempty"`
	// Remarks are what an operator should know, such as dead letters that name no session.
	Remarks []string `json:"remarks"`

	Progress Progress `json:"progress"`
	Version  uint64   `json:"-"`
}

// Counts are the size of what is erased.
type Counts struct {
	Sessions uint64 `json:"sessions"`
	Streams  uint64 `json:"streams"`
	Frames   uint64 `json:"frames"`
	Bytes    uint64 `json:"bytes"`
}

// Progress is what has been done between two states.
type Progress struct {
	// Blocks is the sequence up to which the stream of blocks must be removed, 0 before it
	// is known.
	Blocks uint64 `json:"blocks,omitempty"`
	// Keys is likewise of the stream of idempotency keys; KeysUntil is when its messages of
	// before the erasure have expired.
	Keys        uint64    `json:"keys,omitempty"`
	KeysUntil   time.Time `json:"keys_until,omitzero"`
	BlocksGone  bool      `json:"blocks_gone"`
	LettersGone bool      `json:"letters_gone"`
	KeysGone    bool      `json:"keys_gone"`
	TokensGone  bool      `json:"tokens_gone"`
	// RowsAt is ClickHouse's time after the rows were deleted: files of before are removed.
	RowsAt time.Time `json:"rows_at,omitzero"`
}

// Done reports whether the erasure is verified.
func (e *Erasure) Done() bool { return e.State == Verified }

// Overdue reports whether the erasure should have been verified.
func (e *Erasure) Overdue(now time.Time) bool { return !e.Done() && now.After(e.Due) }
