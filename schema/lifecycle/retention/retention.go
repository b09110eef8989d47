// Package retention stores policies on how long recorded data is kept, and deletes expired data.
// internal/app/lifecycle/retention runs it.
//
// Data expires by session and kind. The age of a session is the age of its last frame. If the size
// of a kind is limited, the oldest sessions expire first. Without a policy nothing expires.
package retention

import (
	"fmt"
	"slices"
	"time"

	"tapedeck/schema/tables"
)

// Kinds lists the kinds of data, in the order in which they should expire.
var Kinds = []string{tables.Frames, tables.Messages, tables.Facts, tables.Charges, tables.Bills}

// LeastBilling is the minimum age at which charges and bills may expire: 13 months.
const LeastBilling = 396 * 24 * time.Hour

// Policy is how long one kind of data of a tenant is kept.
type Policy struct {
	Tenant   string
	Kind     string
	MaxAge   time.Duration // 0 for no limit
	MaxBytes uint64        // 0 for no limit
	SetAt    time.Time     // zero for a kind without a policy
	SetBy    string
}

// Check returns an error if the policy is not allowed.
func (p *Policy) Check() error {
	billing := p.Kind == tables.Charges || p.Kind == tables.Bills
	switch {
	case !slices.Contains(Kinds, p.Kind):
		return fmt.Errorf("there is no kind %q of data", p.Kind)
	case p.MaxAge < 0 || p.MaxAge > 0 && p.MaxAge < time.Second:
		return fmt.Errorf("the age %v is not a second or more", p.MaxAge)
	case billing && p.MaxAge > 0 && p.MaxAge < LeastBilling:
		return fmt.Errorf("%s are kept for 13 months (%d days) at least", p.Kind, LeastBilling/(24*time.Hour))
	case billing && p.MaxBytes > 0:
		return fmt.Errorf("%s are not limited in size", p.Kind)
	}
	return nil
}

// None reports whether the policy limits nothing.
func (p *Policy) None() bool { return p.MaxAge == 0 && p.MaxBytes == 0 }

// Why is the reason for which data expires.
type Why string

const (
	ByAge  Why = "age"
	BySize Why = "size"
)

// Due is the data of a session that is to expire.
type Due struct {
	Session string    `ch:"session_id"`
	Last    time.Time `ch:"last"` // time of its last frame
	Bytes   uint64    `ch:"size"`
	Until   string    `ch:"until"` // greatest id of its streams
	Had     uint64    `ch:"had"`   // bytes of the streams up to Until that expired before
	Why     string    `ch:"why"`
}

// Day is the data that expires by age on one day.
type Day struct {
	Day      time.Time `ch:"day"`
	Sessions uint64    `ch:"sessions"`
	Bytes    uint64    `ch:"size"`
}

// Size is the stored amount of a kind of data.
type Size struct {
	Sessions uint64     `ch:"sessions"`
	Bytes    uint64     `ch:"size"`
	Oldest   *time.Time `ch:"oldest"` // nil if nothing is stored
}

// Amount is a number of sessions and their size.
type Amount struct {
	Sessions uint64 `json:"sessions"`
	Bytes    uint64 `json:"bytes"`
	// Bills is the number of bills; 0 for every kind but bills.
	Bills uint64 `json:"bills,omitempty"`
}
