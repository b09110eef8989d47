package retention

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
	"tapedeck/schema/lifecycle/retention"
	"tapedeck/schema/tables"
)

// Policy is a policy as the API shows it. A limit of null means no limit.
type Policy struct {
	Kind     string     `json:"kind"`
	MaxAgeS  *uint64    `json:"max_age_s"`
	MaxBytes *uint64    `json:"max_bytes"`
	SetAt    *time.Time `json:"set_at"`
	SetBy    string     `json:"set_by"`
}

func shown(p *retention.Policy) Policy {
	a := Policy{Kind: p.Kind, SetBy: p.SetBy}
	if p.MaxAge > 0 {
		seconds := uint64(p.MaxAge / time.Second)
		a.MaxAgeS = &seconds
	}
	if p.MaxBytes > 0 {
		a.MaxBytes = &p.MaxBytes
	}
	if !p.SetAt.IsZero() {
		a.SetAt = &p.SetAt
	}
	return a
}

// all returns the policies of a tenant for every kind.
func (s *Service) all(ctx context.Context, tenant string) ([]retention.Policy, error) {
	set, err := s.store.Policies(ctx, tenant)
	if err != nil {
		return nil, err
	}
	list := make([]retention.Policy, len(retention.Kinds))
	for i, kind := range retention.Kinds {
		list[i] = retention.Policy{Tenant: tenant, Kind: kind}
		for j := range set {
			if set[j].Kind == kind {
				list[i] = set[j]
			}
		}
	}
	return list, nil
}

// ServeShow answers GET /v1/retention: the policy of every kind.
func (s *Service) ServeShow(w http.ResponseWriter, r *http.Request, tenant string) {
	list, err := s.all(r.Context(), tenant)
	if err != nil {
		s.fail(w, err)
		return
	}
	items := make([]Policy, len(list))
	for i := range list {
		items[i] = shown(&list[i])
	}
	write(w, map[string]any{"items": items, "next": nil})
}

// change is the body of PUT /v1/retention.
type change struct {
	Kind     string  `json:"kind"`
	MaxAgeS  *uint64 `json:"max_age_s"`
	MaxBytes *uint64 `json:"max_bytes"`
}

func (c *change) policy(tenant string) (*retention.Policy, *problem.Problem) {
	p := &retention.Policy{Tenant: tenant, Kind: c.Kind}
	if c.MaxAgeS != nil {
		if *c.MaxAgeS > longest {
			return nil, problem.BadParameter("max_age_s",
				fmt.Sprintf("%d seconds are more than 100 years.", *c.MaxAgeS))
		}
		p.MaxAge = time.Duration(*c.MaxAgeS) * time.Second
	}
	if c.MaxBytes != nil {
		if *c.MaxBytes > math.MaxInt64 {
			return nil, problem.BadParameter("max_bytes", fmt.Sprintf("%d bytes are more than 8 EiB.", *c.MaxBytes))
		}
		p.MaxBytes = *c.MaxBytes
	}
	if !slices.Contains(retention.Kinds, p.Kind) {
		return nil, problem.BadParameter("kind", fmt.Sprintf("kind %q is not known.", p.Kind), retention.Kinds...)
	}
	if err := p.Check(); err != nil {
		return nil, problem.BadParameter("", "These limits are not valid: "+err.Error()+".")
	}
	return p, nil
}

// longest is the longest age, seconds.
const longest = 100 * 366 * 24 * 3600

// ServeSet answers PUT /v1/retention: it sets the policy of a kind, and returns it.
func (s *Service) ServeSet(w http.ResponseWriter, r *http.Request, tenant string) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		problem.Write(w, &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{"application/json"},
			Detail: fmt.Sprintf("A policy is sent as application/json, not as %q.", r.Header.Get("Content-Type")),
		})
		return
	}
	var body change
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<10))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		problem.Write(w, &problem.Problem{Status: http.StatusBadRequest, Detail: "The body could not be read: " + err.Error() + ".", Hint: `Send {"kind": "frames", "max_age_s": 7776000, "max_bytes": null}; null is no limit.`})
		return
	}
	p, bad := body.policy(tenant)
	if bad != nil {
		problem.Write(w, bad)
		return
	}
	p.SetAt, p.SetBy = time.Now().UTC(), by(r.Context())
	entry := audit.From(r.Context())
	entry.Object, entry.Detail = p.Kind, fmt.Sprintf("age %v, bytes %d", p.MaxAge, p.MaxBytes)
	if err := s.store.Set(r.Context(), p); err != nil {
		s.fail(w, err)
		return
	}
	write(w, shown(p))
}

// by returns the sender of a request.
func by(ctx context.Context) string {
	p := access.From(ctx)
	switch {
	case p == nil:
		return ""
	case p.ID == "":
		return p.Name
	}
	return p.Name + " (" + p.ID + ")"
}

// Preview describes which data of a kind expires.
type Preview struct {
	Policy
	// Stored is the amount of stored data.
	Stored retention.Amount `json:"stored"`
	// Due is what expires in the next round. DueMore says that it is more than Due counts.
	Due     retention.Amount `json:"due"`
	DueMore bool             `json:"due_more"`
	// Oldest lists the first sessions of Due. OldestMore says that there are others.
	Oldest     []Session `json:"oldest"`
	OldestMore bool      `json:"oldest_more"`
	// Days lists what expires by age on each of the next 30 days.
	Days []Day `json:"days"`
}

// Session is a session of which data expires.
type Session struct {
	ID     string    `json:"session_id"`
	LastAt time.Time `json:"last_at"`
	Bytes  uint64    `json:"bytes"`
	Why    string    `json:"why"`
}

// Day is what expires on a day.
type Day struct {
	Day string `json:"day"`
	retention.Amount
}

const (
	daysAhead  = 30
	mostDue    = 100_000 // sessions that a preview counts
	mostOldest = 20
)

// ServePreview answers GET /v1/retention/preview with what expires, and when, by the policies or,
// for a kind that the request names, by other limits.
func (s *Service) ServePreview(w http.ResponseWriter, r *http.Request, tenant string) {
	q := r.URL.Query()
	if !q.Has("kind") && (q.Has("max_age_s") || q.Has("max_bytes")) {
		bad := problem.BadParameter("kind", "max_age_s and max_bytes are limits of a kind: name it.")
		bad.Allowed = retention.Kinds
		problem.Write(w, bad)
		return
	}
	list, err := s.all(r.Context(), tenant)
	if err != nil {
		s.fail(w, err)
		return
	}
	if q.Has("kind") {
		other := change{Kind: q.Get("kind")}
		for name, value := range map[string]**uint64{"max_age_s": &other.MaxAgeS, "max_bytes": &other.MaxBytes} {
			if text := q.Get(name); text != "" {
				n, err := strconv.ParseUint(text, 10, 63)
				if err != nil {
					problem.Write(w, problem.BadParameter(name, fmt.Sprintf("%q is not a number.", text)))
					return
				}
				*value = &n
			}
		}
		p, bad := other.policy(tenant)
		if bad != nil {
			problem.Write(w, bad)
			return
		}
		list = []retention.Policy{*p}
	}
	items := []Preview{}
	for i := range list {
		preview := s.preview
		if list[i].Kind == tables.Bills {
			preview = s.previewBills
		}
		one, err := preview(r.Context(), &list[i])
		if err != nil {
			s.fail(w, err)
			return
		}
		items = append(items, *one)
	}
	write(w, map[string]any{"items": items, "next": nil})
}

func (s *Service) preview(ctx context.Context, p *retention.Policy) (*Preview, error) {
	a := &Preview{Policy: shown(p), Oldest: []Session{}, Days: []Day{}}
	size, err := s.store.Size(ctx, p.Tenant, p.Kind)
	if err != nil {
		return nil, err
	}
	a.Stored = retention.Amount{Sessions: size.Sessions, Bytes: size.Bytes}
	now := s.opts.Now()
	if !p.None() {
		due, err := s.store.Due(ctx, p, now, mostDue+1)
		if err != nil {
			return nil, err
		}
		a.DueMore, a.OldestMore = len(due) > mostDue, len(due) > mostOldest
		due = due[:min(len(due), mostDue)]
		for i, d := range due {
			a.Due.Sessions++
			a.Due.Bytes += d.Bytes
			if i < mostOldest {
				a.Oldest = append(a.Oldest, Session{d.Session, d.Last.UTC(), d.Bytes, d.Why})
			}
		}
	}
	days, err := s.store.Days(ctx, p, now, daysAhead)
	if err != nil {
		return nil, err
	}
	for _, d := range days {
		a.Days = append(a.Days, Day{d.Day.UTC().Format(time.DateOnly), retention.Amount{Sessions: d.Sessions, Bytes: d.Bytes}})
	}
	return a, nil
}

// previewBills returns what there is of bills, and when they expire. A bill has no session.
func (s *Service) previewBills(ctx context.Context, p *retention.Policy) (*Preview, error) {
	a := &Preview{Policy: shown(p), Oldest: []Session{}, Days: []Day{}}
	now := s.opts.Now().UTC()
	closed, err := s.store.StoredBills(ctx, p, now)
	if err != nil {
		return nil, err
	}
	for _, d := range closed {
		a.Stored.Bills, a.Stored.Bytes = a.Stored.Bills+d.Bills, a.Stored.Bytes+d.Bytes
		a.Due.Bills, a.Due.Bytes = a.Due.Bills+d.Due, a.Due.Bytes+d.DueSize
		day := d.Day.Add(p.MaxAge).UTC()
		if p.MaxAge > 0 && d.Expiring > d.Due && day.Before(now.AddDate(0, 0, daysAhead)) {
			a.Days = append(a.Days, Day{day.Format(time.DateOnly),
				retention.Amount{Bills: d.Expiring - d.Due, Bytes: d.ExpiringSize - d.DueSize}})
		}
	}
	return a, nil
}

func (s *Service) fail(w http.ResponseWriter, err error) {
	s.opts.Log.Error("retention: a request failed", "error", strings.TrimSpace(err.Error()))
	problem.Write(w, &problem.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "The policies could not be read or written: ClickHouse does not answer.", Hint: "Try again in a few seconds; /readyz reports when it is back.",
	})
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(v) // the client has left
}
