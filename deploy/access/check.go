package access

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

var refused = promauto.NewCounterVec(prometheus.CounterOpts{
	Name: "tapedeck_tokens_refused_total", Help: "Requests whose token was refused, by the reason.",
}, []string{"reason"})

// Refusal is the error of a token that is refused. It wraps one of the reasons.
type Refusal struct {
	Reason error
	Token  *Token // nil if the text is not that of a token that there is
}

// Error implements error.
func (r *Refusal) Error() string { return "token refused: " + r.Reason.Error() }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Reason }

// Accept checks a token's text. The context that it returns ends with ErrRevoked or
// ErrExpired once the token is not valid any more, and when done is called.
func (s *Store) Accept(ctx context.Context, text string) (_ context.Context, _ *Principal, done func(), err error) {
	t, bad := s.find(text)
	if bad != nil {
		refused.WithLabelValues(bad.Reason.Error()).Inc()
		return ctx, nil, nil, bad
	}
	ctx, end := context.WithCancelCause(ctx)
	g := &grant{end}
	s.mu.Lock()
	if now := s.copy.byID[t.ID]; now == nil || now.RevokedAt != nil { // revoked meanwhile
		s.mu.Unlock()
		end(ErrRevoked)
		return ctx, nil, nil, &Refusal{ErrRevoked, t}
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
	return ctx, &Principal{Kind: KindToken, ID: t.ID, Name: t.Name, Tenant: t.Tenant, Scopes: t.Scopes}, func() {
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

// find returns the valid token with a text, or why it is refused.
func (s *Store) find(text string) (*Token, *Refusal) {
	if err := checkText(text); err != nil {
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
	if err := entry.valid(s.now()); err != nil {
		return nil, &Refusal{err, &entry.Token}
	}
	return &entry.Token, nil
}

// noteEvery is how often the use of a token is written.
const noteEvery = time.Minute

// noteUse writes that a token was used, if no server did so within noteEvery. It does not
// wait, and a write that fails is left out.
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
			s.opts.Log.Debug("the use of a token was not noted", "token", id, "error", err)
		}
	})
}
