package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"time"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/internal/problem"
)

const (
	bodyLimit = 64 << 10
	// mostDrain is the maximum wait for blocks to be stored.
	mostDrain = 10 * time.Minute
)

// request is the body of POST /v1/backups.
type request struct {
	To     string `json:"to"`
	Base   string `json:"base"`
	DrainS int64  `json:"drain_s"`
	S3     Keys   `json:"s3"`
}

// options returns the options that a request body states.
func (b *request) options() (o Options, p *problem.Problem) {
	var err error
	if o.To, err = ParseTarget(b.To, b.S3); err != nil {
		return o, problem.BadParameter("to", err.Error()+".")
	}
	if b.Base != "" {
		base, err := ParseTarget(b.Base, b.S3)
		if err != nil {
			return o, problem.BadParameter("base", err.Error()+".")
		}
		if base.Name == o.To.Name {
			return o, problem.BadParameter("base", "The base is the backup itself: name the backup before it.")
		}
		o.Base = &base
	}
	o.Drain = time.Duration(b.DrainS) * time.Second
	if b.DrainS < 0 || b.DrainS > int64(mostDrain/time.Second) {
		return o, problem.BadParameter("drain_s", fmt.Sprintf("It must be 0 to %d seconds.", mostDrain/time.Second))
	}
	return o, nil
}

// ServeStart answers POST /v1/backups with 202 and the status of the backup that has begun.
func (s *Service) ServeStart(w http.ResponseWriter, r *http.Request) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		problem.Write(w, &problem.Problem{
			Status: http.StatusUnsupportedMediaType, Parameter: "Content-Type", Allowed: []string{"application/json"},
			Detail: fmt.Sprintf("The body is sent as application/json, not as %q.", r.Header.Get("Content-Type")),
		})
		return
	}
	var body request
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyLimit))
	d.DisallowUnknownFields()
	if err := d.Decode(&body); err != nil {
		problem.Write(w, &problem.Problem{
			Status: http.StatusBadRequest, Detail: "The body could not be read: " + err.Error() + ".",
			Hint: `Send {"to": "NAME"}, and "base": "NAME" for an incremental backup.`,
		})
		return
	}
	o, p := body.options()
	if p != nil {
		problem.Write(w, p)
		return
	}
	entry := audit.From(r.Context())
	entry.Kind, entry.Object = "backup", o.To.Name
	if o.Base != nil {
		entry.Detail = "continues " + o.Base.Name
	}
	ending := *entry
	st, err := s.start(o, &ending)
	switch {
	case errors.Is(err, ErrBusy):
		problem.Write(w, &problem.Problem{Status: http.StatusConflict, Detail: "Another backup is running.",
			Hint: "GET /v1/backups lists it; start the backup again once it is done."})
	case err != nil:
		problem.Write(w, &problem.Problem{Status: http.StatusServiceUnavailable, RetryAfter: time.Second,
			Detail: "The backup was not started: " + err.Error() + "."})
	default:
		entry.Continues = true
		w.Header().Set("Location", "/v1/backups/"+st.ID)
		write(w, http.StatusAccepted, st)
	}
}

// ServeList answers GET /v1/backups.
func (s *Service) ServeList(w http.ResponseWriter, _ *http.Request) {
	write(w, http.StatusOK, struct {
		Items []Status `json:"items"`
		Next  *string  `json:"next"` // always null
	}{Items: s.List()})
}

// ServeOne answers GET /v1/backups/{id}.
func (s *Service) ServeOne(w http.ResponseWriter, id string) {
	st, known := s.Find(id)
	if !known {
		problem.Write(w, &problem.Problem{
			Status: http.StatusNotFound,
			Detail: fmt.Sprintf("This server has made no backup with the id %q since it was started.", id),
		})
		return
	}
	write(w, http.StatusOK, st)
}

func write(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a write error means that the client has disconnected
}
