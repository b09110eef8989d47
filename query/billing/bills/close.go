package bills

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"tapedeck/internal/failpoint"
	"tapedeck/query"
)

// WithComplete sets a function that returns a problem if charges of a period, [from, to), are not
// stored yet. Then Close refuses to close the period.
func (s *Store) WithComplete(complete func(ctx context.Context, tenant string, from, to time.Time) error) *Store {
	s.complete = complete
	return s
}

// The steps of a close. A process that is killed after any of them leaves the period open or
// closed.
const (
	stepBegun     = "bills: begun"     // some rows may be stored; the period is open
	stepRows      = "bills: rows"      // all rows are stored; the period is open
	stepCommitted = "bills: committed" // the bill is in JetStream; it becomes visible with the next close or preview
	stepStored    = "bills: stored"    // readers see the bill
	stepCleaned   = "bills: cleaned"   // the rows of abandoned attempts are removed
)

// commitTries bounds how often a commit is retried after bills of other accounts were committed
// first.
const commitTries = 100

// Closing names a period of an account that is to be closed.
type Closing struct {
	Tenant, Account, Period string
	// LeaveEarlier allows the account's first bill to leave the usage of earlier months without a
	// bill.
	LeaveEarlier bool
}

// Close closes a period of an account and returns its bill. The bill has every charge of the period
// that was stored before the call: charges.Each reads them, and looks at the settlement and at what
// was stored since only after the call began. Of several concurrent calls for the
// same period one succeeds. The others return a problem that names its bill.
func (s *Store) Close(ctx context.Context, q Closing) (*Bill, error) {
	began := time.Now()
	b, err := s.close(ctx, q)
	observeClose(began, b, err)
	if err == nil {
		s.log.Info("bills: closed a bill", "number", b.Number, "tenant", q.Tenant, "account", b.Account,
			"period", b.Period, "rows", b.Rows, "corrections", b.Corrections, "total", b.Total, "currency", b.Currency)
	}
	return b, err
}

func (s *Store) close(ctx context.Context, q Closing) (*Bill, error) {
	tenant, account := q.Tenant, q.Account
	_, revision, err := s.settle(ctx, tenant)
	if err != nil {
		return nil, err
	}
	c, err := s.prepare(ctx, tenant, account, q.Period)
	if err != nil {
		return nil, err
	}
	if err := c.closable(ctx, q.LeaveEarlier); err != nil {
		return nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("make the id of an attempt: %w", err)
	}
	c.bill.Attempt = id.String()
	if err := s.insertRows(ctx, c); err != nil {
		return nil, err
	}
	if err := failpoint.Reach(ctx, stepRows); err != nil {
		return nil, err
	}
	if err := s.commit(ctx, c, revision); err != nil {
		return nil, err
	}
	if err := failpoint.Reach(ctx, stepCommitted); err != nil {
		return nil, err
	}
	// The bill is committed: it is stored even if the client has disconnected.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	if err := s.store(ctx, tenant, c.bill); err != nil {
		return nil, fmt.Errorf("bill %s is closed and will be listed after the next close or preview: %w",
			c.bill.Number, err)
	}
	if err := failpoint.Reach(ctx, stepStored); err != nil {
		return nil, err
	}
	if err := s.clean(ctx, tenant, append(c.before, *c.bill)); err != nil {
		s.log.Warn("bills: rows of abandoned attempts stay until the next close of the account", "account", account,
			"error", err)
	}
	return c.bill, failpoint.Reach(ctx, stepCleaned)
}

// closable returns the reason for which the period cannot be closed now, or nil if it can be.
// leaveEarlier allows the bill to leave the usage of earlier months without a bill.
func (c *computation) closable(ctx context.Context, leaveEarlier bool) error {
	if err := c.period.closable(c.store.now()); err != nil {
		return err
	}
	if c.store.complete != nil {
		if err := c.store.complete(ctx, c.tenant, c.period.Start, c.period.End); err != nil {
			return err
		}
	}
	if err := c.findNeverBilled(ctx); err != nil || leaveEarlier {
		return err
	}
	return c.leavesEarlier()
}

// storeLimit bounds the time to store a bill that is committed.
const storeLimit = 30 * time.Second

// insertRows computes and stores the rows.
func (s *Store) insertRows(ctx context.Context, c *computation) error {
	w := newWriter(ctx, s.conn, s.batch, c.tenant, c.bill)
	begun := false
	c.take = func(r *Row) error {
		if !begun && c.bill.Rows > uint64(s.batch) {
			begun = true
			if err := failpoint.Reach(ctx, stepBegun); err != nil {
				return err
			}
		}
		return w.add(r)
	}
	err := c.run(ctx)
	return errors.Join(err, w.close(err == nil))
}

// commit makes the bill the last one of the tenant. It assigns the next number, and assigns a new
// one when another bill of the tenant was committed first.
func (s *Store) commit(ctx context.Context, c *computation, revision uint64) error {
	for range commitTries {
		last, err := s.number(ctx, "last_sequence", query.Args{"tenant": c.tenant, "prefix": c.bill.Prefix})
		if err != nil {
			return err
		}
		at := s.now().Truncate(time.Millisecond)
		c.bill.Sequence, c.bill.ClosedAt = last+1, &at
		c.bill.Number = fmt.Sprintf("%s%06d", c.bill.Prefix, c.bill.Sequence)
		if err = s.heads.Commit(ctx, c.tenant, c.bill, revision); !errors.Is(err, ErrOvertaken) {
			return err
		}
		var head *Bill
		if head, revision, err = s.settle(ctx, c.tenant); err != nil {
			return err
		}
		if head != nil && head.Attempt == c.bill.Attempt {
			return nil // an earlier try succeeded and its answer was lost
		}
		now, err := s.Closed(ctx, c.tenant, c.account.ID)
		if err != nil {
			return err
		}
		if len(now) != len(c.before) {
			// The rows of this attempt are removed by a later close.
			return conflict("Period closed",
				fmt.Sprintf("Bill %s of %s for %s was closed at the same time.", now[0].Number, c.account.ID,
					now[0].Period),
				"What changed since becomes a correction in the bill of the next period.")
		}
	}
	return &tooBusy
}

// Preview computes the bill of a period as if it were closed now, which may be before the period
// ends. It calls visit, which may be nil, with each row. Nothing is stored.
func (s *Store) Preview(ctx context.Context, tenant, account, period string, visit func(*Row) error) (*Bill, error) {
	c, err := s.settled(ctx, tenant, account, period)
	if err != nil {
		return nil, err
	}
	if err := c.findNeverBilled(ctx); err != nil {
		return nil, err
	}
	return c.preview(ctx, visit)
}

// DryRun computes the bill as Preview does, and returns the problem with which Close would refuse
// the period.
func (s *Store) DryRun(ctx context.Context, q Closing, visit func(*Row) error) (*Bill, error) {
	c, err := s.settled(ctx, q.Tenant, q.Account, q.Period)
	if err != nil {
		return nil, err
	}
	if err := c.closable(ctx, q.LeaveEarlier); err != nil {
		return nil, err
	}
	return c.preview(ctx, visit)
}

// settled is prepare after all committed bills are stored.
func (s *Store) settled(ctx context.Context, tenant, account, period string) (*computation, error) {
	if _, _, err := s.settle(ctx, tenant); err != nil {
		return nil, err
	}
	return s.prepare(ctx, tenant, account, period)
}

func (c *computation) preview(ctx context.Context, visit func(*Row) error) (*Bill, error) {
	if visit != nil {
		c.take = visit
	}
	return c.bill, c.run(ctx)
}
