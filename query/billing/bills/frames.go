package bills

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"tapedeck/query"
	"tapedeck/query/billing/charges"
	"tapedeck/schema"
)

// Decoder decodes the frames of a session anew and returns all of its usage records. Nothing is
// stored.
type Decoder func(ctx context.Context, tenant, session string) ([]Decoded, error)

// Decoded is a usage record of a stream.
type Decoded struct {
	StreamID string
	schema.Usage
}

// WithDecoder sets the function that decodes frames. Without a decoder Verify does not check
// frames.
func (s *Store) WithDecoder(d Decoder) *Store {
	s.decoder = d
	return s
}

// FrameCheck is the result of decoding frames again.
type FrameCheck struct {
	Sessions uint64 `json:"sessions"` // sessions that were decoded again
	Of       uint64 `json:"of"`       // sessions of the bill
	// Failed lists sessions that could not be decoded, with the reason.
	Failed []FrameFailure `json:"failed"`
	// Expired lists the first charges whose frames have expired. They remain as billed and cannot
	// be compared. ExpiredCharges and ExpiredSessions count all of them.
	Expired         []ExpiredCharge   `json:"expired"`
	ExpiredCharges  uint64            `json:"expired_charges"`
	ExpiredSessions uint64            `json:"expired_sessions"`
	Differences     []FrameDifference `json:"differences"` // the first ones
}

// FrameFailure is a session whose frames could not be decoded, such as one that was deleted.
type FrameFailure struct {
	SessionID string `json:"session_id"`
	Detail    string `json:"detail"`
}

// ExpiredCharge is a charge whose frames have expired.
type ExpiredCharge struct {
	ChargeID  string    `json:"charge_id"`
	SessionID string    `json:"session_id"`
	ExpiredAt time.Time `json:"expired_at"`
}

// ExpiredError is the error of a Decoder for a session whose frames have expired.
type ExpiredError struct {
	Session string
	At      time.Time
}

// Error implements error.
func (e *ExpiredError) Error() string {
	return fmt.Sprintf("the frames of session %q expired on %s; its facts and charges remain", e.Session,
		e.At.Format(time.DateOnly))
}

// FrameDifference is a charge for which the frames state another value than is stored.
type FrameDifference struct {
	ChargeID  string `json:"charge_id"`
	SessionID string `json:"session_id"`
	Position  string `json:"position"` // of the frame that states the usage; "" if no frame does
	Field     string `json:"field"`    // such as "input" or "model"
	Stored    string `json:"stored"`   // "" if the charge is not stored
	Decoded   string `json:"decoded"`  // "" if no frame states the usage
}

// maxFrameFailures bounds the sessions that are listed as failed.
const maxFrameFailures = 20

// frames decodes the frames of at most most sessions again and compares their usage with the
// stored usage. Sessions with differences come first, then the sessions with the highest cost.
func (v *verifier) frames(ctx context.Context, most int) error {
	rows, err := query.Ask[sessionRow](ctx, v.store.reader, statements, "billed_sessions", nil,
		query.Args{"tenant": v.tenant, "attempt": v.bill.Attempt})
	if err != nil {
		return err
	}
	check := &v.result.Frames
	check.Of = uint64(len(rows))
	if v.store.decoder == nil {
		return nil
	}
	differing := map[string]bool{}
	for i := range v.result.Differences {
		differing[v.result.Differences[i].SessionID] = true
	}
	slices.SortStableFunc(rows, func(a, b sessionRow) int {
		return boolean(differing[b.ID]) - boolean(differing[a.ID])
	})
	for _, row := range rows[:min(most, len(rows))] {
		if err := v.session(ctx, row.ID); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) session(ctx context.Context, id string) error {
	check := &v.result.Frames
	decoded, err := v.store.decoder(ctx, v.tenant, id)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if expired, is := errors.AsType[*ExpiredError](err); is {
			return v.expired(ctx, id, expired.At)
		}
		if len(check.Failed) < maxFrameFailures {
			check.Failed = append(check.Failed, FrameFailure{id, err.Error()})
		}
		return nil
	}
	check.Sessions++
	stated := map[string]*statedUsage{}
	for _, u := range combine(decoded) {
		stated[charges.ID(v.tenant, id, u.ID)] = u
	}
	q := charges.Query{Tenant: v.tenant, SessionIDs: []string{id}}
	err = charges.Each(ctx, v.store.reader, q, func(c *charges.Charge) error {
		u := stated[c.ChargeID]
		delete(stated, c.ChargeID)
		if u == nil {
			v.frameDifference(FrameDifference{ChargeID: c.ChargeID, SessionID: id, Field: "usage",
				Stored: fmt.Sprint(c.Tokens.Total)})
			return nil
		}
		stored := storedUsage(c)
		for i, field := range u.fields() {
			if was := stored[i]; was != field.value {
				v.frameDifference(FrameDifference{ChargeID: c.ChargeID, SessionID: id, Position: u.position,
					Field: field.name, Stored: was, Decoded: field.value})
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for charge, u := range stated {
		v.frameDifference(FrameDifference{ChargeID: charge, SessionID: id, Position: u.position, Field: "usage",
			Decoded: strconv.FormatInt(u.quantities.Tokens(), 10)})
	}
	return nil
}

// expired lists the charges of a session whose frames have expired.
func (v *verifier) expired(ctx context.Context, id string, at time.Time) error {
	check := &v.result.Frames
	check.ExpiredSessions++
	q := charges.Query{Tenant: v.tenant, SessionIDs: []string{id}, From: v.bill.Start, To: v.bill.End}
	return charges.Each(ctx, v.store.reader, q, func(c *charges.Charge) error {
		check.ExpiredCharges++
		if len(check.Expired) < maxDifferences {
			check.Expired = append(check.Expired, ExpiredCharge{c.ChargeID, id, at})
		}
		return nil
	})
}

func (v *verifier) frameDifference(d FrameDifference) {
	if check := &v.result.Frames; len(check.Differences) < maxDifferences {
		check.Differences = append(check.Differences, d)
	}
}
