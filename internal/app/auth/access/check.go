package access

import (
	"context"
	"time"

	"tapedeck/internal/metric"
)

var refused = metric.CounterVecOf(metric.Any, "tapedeck_tokens_refused_total",
	"Requests whose token was refused, by the reason.", "reason",
	ErrMalformed.Error(), ErrChecksum.Error(), ErrUnknown.Error(), ErrRevoked.Error(), ErrExpired.Error(), ErrIdle.Error(), ErrAway.Error())

// Refusal is the error of a token that is refused. It wraps one of the reasons.
type Refusal struct {
	Reason error
	Token  *Token // nil if no token has the text
}

// Error implements error.
func (r *Refusal) Error() string { return "token refused: " + r.Reason.Error() }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Reason }

// Accept checks a token's text. The returned context ends with ErrRevoked or ErrExpired when the
// token becomes invalid, and when done is called.
func (s *Store) Accept(ctx context.Context, text string) (_ context.Context, _ *Principal, done func(), err error) {
	t, bad := s.find(text)
	return s.admit(ctx, t, bad)
}

// AcceptID is like Accept for a credential that was checked before; it takes the credential's id.
func (s *Store) AcceptID(ctx context.Context, id string) (_ context.Context, _ *Principal, done func(), err error) {
	s.mu.Lock()
	bad := s.current()
	e := s.copy.byID[id]
	if bad == nil && e == nil {
		bad = ErrUnknown
	}
	if bad == nil {
		bad = s.valid(e)
	}
	s.mu.Unlock()
	if bad != nil {
		return s.admit(ctx, nil, &Refusal{Reason: bad})
	}
	return s.admit(ctx, e, nil)
}

// admit registers a request for a credential, unless it is refused.
func (s *Store) admit(ctx context.Context, t *stored, bad *Refusal) (_ context.Context, _ *Principal, done func(), err error) {
	if bad != nil {
		refused.WithLabelValues(bad.Reason.Error()).Inc()
		return ctx, nil, nil, bad
	}
	ctx, end := context.WithCancelCause(ctx)
	g := &grant{end}
	s.mu.Lock()
	if now := s.copy.byID[t.ID]; now == nil || now.RevokedAt != nil { // the credential was revoked meanwhile
		s.mu.Unlock()
		end(ErrRevoked)
		return ctx, nil, nil, &Refusal{ErrRevoked, &t.Token}
	}
	if s.copy.open[t.ID] == nil {
		s.copy.open[t.ID] = map[*grant]struct{}{}
	}
	s.copy.open[t.ID][g] = struct{}{}
	s.mu.Unlock()
	var expiry *time.Timer
	if t.ExpiresAt != nil {
		expiry = time.AfterFunc(t.ExpiresAt.Sub(s.now()), func() { end(ErrExpired) })
	}
	s.noteUse(t.ID)
	return ctx, &Principal{Kind: s.opts.Kind, ID: t.ID, Name: t.Name, Tenant: t.Tenant, Scopes: t.Scopes, Login: t.Login, Share: t.Share, Expires: t.ExpiresAt}, func() {
		if expiry != nil {
			expiry.Stop()
		}
		s.mu.Lock()
		delete(s.copy.open[t.ID], g)
		if len(s.copy.open[t.ID]) == 0 {
			delete(s.copy.open, t.ID)
		}
		s.mu.Unlock()
		end(nil)
	}, nil
}

// find returns the valid credential with a text, or the reason why it is refused.
func (s *Store) find(text string) (*stored, *Refusal) {
	if err := checkText(s.storage.prefix, text); err != nil {
		return nil, &Refusal{Reason: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.current(); err != nil {
		return nil, &Refusal{Reason: err}
	}
	entry := s.copy.byHash[digestOf(text)]
	if entry == nil {
		return nil, &Refusal{Reason: ErrUnknown}
	}
	if err := s.valid(entry); err != nil {
		return nil, &Refusal{err, &entry.Token}
	}
	return entry, nil
}

// valid returns why a credential is refused, nil if it is valid. mu is held.
func (s *Store) valid(e *stored) error {
	now := s.now()
	if err := e.valid(now); err != nil || s.opts.Idle == 0 {
		return err
	}
	used := e.CreatedAt
	for _, at := range []time.Time{s.copy.used[e.ID], s.copy.noted[e.ID]} {
		if at.After(used) {
			used = at
		}
	}
	if len(s.copy.open[e.ID]) == 0 && now.Sub(used) > s.opts.Idle {
		return ErrIdle
	}
	return nil
}

// noteEvery is the minimum interval between two writes of a token's last use.
const noteEvery = time.Minute

// noteUse writes that a token was used, unless a server did so within noteEvery. It does not wait,
// and does not repeat a failed write.
func (s *Store) noteUse(id string) {
	now := s.now().UTC()
	s.mu.Lock()
	due := now.Sub(s.copy.used[id]) >= noteEvery && now.Sub(s.copy.noted[id]) >= noteEvery
	if due {
		s.copy.noted[id] = now
	}
	kv := s.kv
	s.mu.Unlock()
	if !due || kv == nil {
		return
	}
	s.writes.Go(func() {
		ctx, cancel := context.WithTimeout(s.life, natsTimeout)
		defer cancel()
		if _, err := kv.Put(ctx, usedKey+id, []byte(now.Format(time.RFC3339Nano))); err != nil {
			s.opts.Log.Debug("access: the use of a token was not noted", "token", id, "error", err)
		}
	})
}
