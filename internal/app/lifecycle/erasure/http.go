package erasure

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/app/auth/access"
	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
	"tapedeck/schema/lifecycle/erasure"
)

const (
	bodyLimit = 4 << 20
	// mostSessions bounds the sessions in one request.
	mostSessions = 10_000
	// mostListed bounds the erasures in a list, and the sessions in a preview.
	mostListed = 1000
	// requestMost bounds the time until everything is hidden.
	requestMost = time.Minute
)

// wish is the body of POST /v1/erasures. One of Sessions, Tag and Tenant is set.
type wish struct {
	Sessions []string `json:"sessions"`
	Tag      *tag     `json:"tag"`
	Tenant   string   `json:"tenant"`
	// Unknown allows sessions without stored data.
	Unknown bool `json:"unknown"`
	DryRun  bool `json:"dry_run"`
}

type tag struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Answer is an erasure as the API shows it.
type Answer struct {
	ID          string         `json:"id"` // "" for a dry run
	Tenant      string         `json:"tenant"`
	Kind        erasure.Kind   `json:"kind"`
	State       erasure.State  `json:"state"`
	Tag         string         `json:"tag"` // the key of the tag
	RequestedAt time.Time      `json:"requested_at"`
	RequestedBy string         `json:"requested_by"`
	DueAt       time.Time      `json:"due_at"`
	HiddenAt    *time.Time     `json:"hidden_at"`
	RemovedAt   *time.Time     `json:"removed_at"`
	VerifiedAt  *time.Time     `json:"verified_at"`
	Overdue     bool           `json:"overdue"`
	Found       erasure.Counts `json:"found"`
	WaitsFor    string         `json:"waits_for"`
	Remarks     []string       `json:"remarks"`
	Sessions    []string       `json:"sessions,omitempty"` // for a dry run: the first of them
}

func answer(e *erasure.Erasure) Answer {
	return Answer{
		ID: e.ID, Tenant: e.Tenant, Kind: e.Kind, State: e.State, Tag: e.TagKey, RequestedAt: e.RequestedAt, RequestedBy: e.RequestedBy,
		DueAt: e.Due, HiddenAt: some(e.HiddenAt), RemovedAt: some(e.RemovedAt), VerifiedAt: some(e.VerifiedAt),
		Overdue: e.Overdue(time.Now()), Found: e.Found, WaitsFor: e.Waits, Remarks: e.Remarks,
	}
}

func some(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}

// list is the answer to GET /v1/erasures.
type list struct {
	Items []Answer `json:"items"`
	Next  *string  `json:"next"` // always null
}

// ServeList answers GET /v1/erasures with the latest erasures of the principal's tenant, or of all
// tenants.
func (s *Service) ServeList(w http.ResponseWriter, r *http.Request) {
	all, err := s.List(r.Context(), access.Reach(r), mostListed)
	if err != nil {
		s.fail(w, err)
		return
	}
	items := make([]Answer, len(all))
	for i := range all {
		items[i] = answer(&all[i])
	}
	write(w, http.StatusOK, list{Items: items})
}

// ServeOne answers GET /v1/erasures/{id}.
func (s *Service) ServeOne(w http.ResponseWriter, r *http.Request, id string) {
	e, err := s.Find(r.Context(), access.Reach(r), id)
	switch {
	case err != nil:
		s.fail(w, err)
	case e == nil:
		problem.Write(w, &problem.Problem{Status: http.StatusNotFound, Detail: fmt.Sprintf("There is no erasure with the id %q.", id), Hint: `GET /v1/erasures (tapedeck erase --list) lists them.`})
	default:
		write(w, http.StatusOK, answer(e))
	}
}

// ServeRequest answers POST /v1/erasures: 202 once everything is hidden, 200 for a dry run.
func (s *Service) ServeRequest(w http.ResponseWriter, r *http.Request, tenant string) {
	var body wish
	if p := read(w, r, &body); p != nil {
		problem.Write(w, p)
		return
	}
	ask, p := body.request(tenant)
	if p != nil {
		problem.Write(w, p)
		return
	}
	ask.By = By(r.Context())
	entry := audit.From(r.Context())
	switch entry.Tenant = tenant; ask.Kind {
	case erasure.Tag:
		entry.Kind, entry.Object = "tag", ask.Tag // the value may be personal data
	case erasure.Tenant:
		entry.Kind, entry.Object = "tenant", tenant
	default:
		entry.Object = ask.Sessions[0]
		if len(ask.Sessions) > 1 {
			entry.Detail = fmt.Sprintf("and %d other sessions", len(ask.Sessions)-1)
		}
	}
	if ask.Kind == erasure.Sessions && !body.Unknown {
		unknown, err := s.store.Unknown(r.Context(), tenant, ask.Sessions)
		if err != nil {
			s.fail(w, err)
			return
		}
		if len(unknown) > 0 {
			problem.Write(w, noSessions(unknown))
			return
		}
	}
	if body.DryRun {
		entry.Detail = audit.DryRun
		e, sessions, err := s.Preview(r.Context(), ask)
		if err != nil {
			s.fail(w, err)
			return
		}
		shown := answer(e)
		shown.Sessions = append([]string{}, sessions[:min(len(sessions), mostListed)]...)
		write(w, http.StatusOK, shown)
		return
	}
	// The erasure of a tenant revokes the tenant's tokens, which ends the requests that they
	// authenticated, including this one.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), requestMost)
	defer cancel()
	e, err := s.Request(ctx, ask)
	if err != nil {
		s.fail(w, err)
		return
	}
	w.Header().Set("Location", "/v1/erasures/"+e.ID)
	write(w, http.StatusAccepted, answer(e))
}

// mostNamed bounds the sessions that a problem names.
const mostNamed = 5

// noSessions returns the problem for sessions without stored data.
func noSessions(ids []string) *problem.Problem {
	named := make([]string, 0, mostNamed)
	for _, id := range ids[:min(len(ids), mostNamed)] {
		named = append(named, strconv.Quote(id))
	}
	p := problem.NotFound("There is no session " + strings.Join(named, ", "))
	if more := len(ids) - len(named); more > 0 {
		p.Detail += fmt.Sprintf(", nor %d others that are named", more)
	}
	p.Detail += ". Nothing was erased."
	p.Hint = `If blocks of it are still in a spool, "unknown": true (tapedeck erase --unknown) erases it all the same: what was recorded of it before is refused when it arrives.`
	return p
}

// request returns the request in a body, for a tenant.
func (b *wish) request(tenant string) (Request, *problem.Problem) {
	r := Request{Tenant: tenant}
	named := 0
	if b.Sessions != nil {
		named++
		r.Kind, r.Sessions = erasure.Sessions, b.Sessions
		if len(b.Sessions) == 0 || len(b.Sessions) > mostSessions {
			return r, problem.BadParameter("sessions",
				fmt.Sprintf("%d sessions are named; it must be 1 to %d.", len(b.Sessions), mostSessions))
		}
		for _, id := range b.Sessions {
			if id == "" {
				return r, problem.BadParameter("sessions", "A session's id is empty.")
			}
		}
	}
	if b.Tag != nil {
		named++
		r.Kind, r.Tag, r.Value = erasure.Tag, b.Tag.Key, b.Tag.Value
		if r.Tag == "" || r.Value == "" {
			return r, problem.BadParameter("tag", "A tag needs its key and its value.")
		}
	}
	if b.Tenant != "" {
		named++
		r.Kind = erasure.Tenant
		if b.Tenant != tenant {
			return r, problem.BadParameter("tenant",
				"The request is about the tenant "+tenant+"; a token of all tenants names another one by the "+
					"header "+access.TenantHeader+", commands by --as-tenant.", tenant)
		}
	}
	if b.Unknown && r.Kind != erasure.Sessions {
		return r, problem.BadParameter("unknown", "It is about sessions that are named; a tag or a tenant names none.")
	}
	if named != 1 {
		return r, problem.BadParameter("", "The body must name sessions, a tag or the tenant, and one of them only.",
			"sessions", "tag", "tenant")
	}
	return r, nil
}

// read reads the body of a request.
func read(w http.ResponseWriter, r *http.Request, into any) *problem.Problem {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		return &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{"application/json"},
			Detail: fmt.Sprintf("The body is sent as application/json, not as %q.", r.Header.Get("Content-Type")),
		}
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return &problem.Problem{
			Status: http.StatusBadRequest, Detail: "The body could not be read: " + err.Error() + ".",
			Hint: `Send {"sessions": […]}, {"tag": {"key": …, "value": …}} or {"tenant": …}, and "dry_run": true to see what would go.`,
		}
	}
	return nil
}

func (s *Service) fail(w http.ResponseWriter, err error) {
	s.opts.Log.Error("erasures: a request failed", "error", err)
	problem.Write(w, &problem.Problem{
		Status: http.StatusServiceUnavailable, RetryAfter: 5 * time.Second,
		Detail: "The erasures could not be read or written: ClickHouse or NATS does not answer.",
		Hint:   "Try again in a few seconds; /readyz reports when they are back.",
	})
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a write error means that the client has disconnected
}
