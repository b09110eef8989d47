package redecode

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"tapedeck/ingest/redact"
	"tapedeck/internal/problem"
)

// RedactRules is the body of a request to mask secrets: rules in addition to the rules for
// credentials.
type RedactRules struct {
	Personal []string          `json:"personal,omitempty"` // email, phone, card
	Rules    string            `json:"rules,omitempty"`    // a YAML file of rules
	Declared []redact.Declared `json:"declared,omitempty"` // known secrets
}

// maxRules bounds the body of a request, bytes.
const maxRules = 1 << 20

// HandleRedact returns a handler of POST /v1/sessions/{id}/redact?dry_run=&wait=, whose body may be
// RedactRules. The response is 200 with a Redacted once no reader sees the secrets. Without a body
// the handler uses the rules of the engine that current returns, or the rules for credentials if
// current returns none.
func (r *Redecoder) HandleRedact(current func() *redact.Engine) func(w http.ResponseWriter, req *http.Request, tenant, session string) {
	return func(w http.ResponseWriter, req *http.Request, tenant, session string) {
		engine := current()
		if !engine.Enabled() {
			engine = redact.Default()
		}
		opts, err := redactParameters(req, engine)
		var result *Redacted
		if err == nil {
			result, err = r.Redact(req.Context(), tenant, session, opts)
		}
		if err != nil {
			r.fail(w, req, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		_ = json.NewEncoder(w).Encode(result) // a write error means that the client has disconnected
	}
}

func redactParameters(req *http.Request, engine *redact.Engine) (opts RedactOptions, err error) {
	values, err := url.ParseQuery(req.URL.RawQuery)
	if err != nil {
		return opts, problem.BadParameter("", "The query of the URL cannot be read: "+err.Error())
	}
	if bad := problem.UnknownParameter(values, "dry_run", "wait"); bad != nil {
		return opts, bad
	}
	for name, on := range map[string]*bool{"dry_run": &opts.DryRun, "wait": &opts.Wait} {
		switch v := values.Get(name); v {
		case "1", "true":
			*on = true
		case "", "0", "false":
		default:
			return opts, problem.BadParameter(name, fmt.Sprintf("%s %q is neither on nor off.", name, v), "1", "0")
		}
	}
	if opts.DryRun && opts.Wait {
		return opts, problem.BadParameter("wait", "A dry run replaces no files to wait for.", "0")
	}
	opts.Engine, err = engineOf(req.Body, engine)
	return opts, err
}

// engineOf compiles the rules of a request's body.
func engineOf(body io.Reader, otherwise *redact.Engine) (*redact.Engine, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxRules+1))
	if err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if len(text) == 0 {
		return otherwise, nil
	}
	var more RedactRules
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err = d.Decode(&more); err == nil && len(text) > maxRules {
		err = errors.New("it is longer than 1 MiB")
	}
	o := redact.Options{Personal: more.Personal, Declared: more.Declared}
	if err == nil && more.Rules != "" {
		var own redact.Own
		own, err = redact.ParseRules([]byte(more.Rules))
		o.Own, o.Paths = own.Rules, own.Paths
	}
	var e *redact.Engine
	if err == nil {
		e, err = redact.New(o)
	}
	if err != nil {
		return nil, problem.BadParameter("", "The rules in the body of the request are not valid: "+err.Error()+".")
	}
	return e, nil
}
