package queryhttp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/problem"
)

// params reads a request's parameters and keeps the first error.
type params struct {
	values url.Values
	known  []string // the names asked for so far
	err    error
}

// newParams reads the query of a request's URL.
func newParams(r *http.Request) *params {
	values, err := url.ParseQuery(r.URL.RawQuery)
	p := &params{values: values}
	if err != nil {
		p.err = problem.BadParameter("", "The query of the URL cannot be read: "+err.Error())
	}
	return p
}

// done gives the first error, be it a parameter that nobody asked for.
func (p *params) done() error {
	if p.err != nil {
		return p.err
	}
	if bad := problem.UnknownParameter(p.values, p.known...); bad != nil {
		return bad
	}
	return nil
}

func (p *params) refuse(name, value, why string, allowed ...string) {
	if p.err == nil {
		p.err = problem.BadParameter(name, fmt.Sprintf("%s %q %s.", name, value, why), allowed...)
	}
}

// text reads a parameter that may be given once; "" if it is left out.
func (p *params) text(name string) string {
	p.known = append(p.known, name)
	list := p.values[name]
	if len(list) > 1 {
		p.refuse(name, strings.Join(list, " "), "is given several times", "once")
		return ""
	}
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// texts reads a parameter that may be repeated. Empty values do not count.
func (p *params) texts(name string) []string {
	p.known = append(p.known, name)
	var list []string
	for _, v := range p.values[name] {
		if v != "" {
			list = append(list, v)
		}
	}
	return list
}

// words is texts for values that hold no commas: these separate them, too.
func (p *params) words(name string) []string {
	var list []string
	for _, v := range p.texts(name) {
		for word := range strings.SplitSeq(v, ",") {
			if word = strings.TrimSpace(word); word != "" && !slices.Contains(list, word) {
				list = append(list, word)
			}
		}
	}
	return list
}

// oneOf reads a word out of a list; "" if it is left out.
func oneOf[W ~string](p *params, name string, allowed []W) W {
	v := p.text(name)
	if v != "" && !slices.Contains(allowed, W(v)) {
		p.refuse(name, v, "is not known", asStrings(allowed)...)
		return ""
	}
	return W(v)
}

// someOf reads words out of a list.
func someOf[W ~string](p *params, name string, allowed []W) []W {
	var list []W
	for _, v := range p.words(name) {
		if !slices.Contains(allowed, W(v)) {
			p.refuse(name, v, "is not known", asStrings(allowed)...)
			return nil
		}
		list = append(list, W(v))
	}
	return list
}

func asStrings[W ~string](list []W) []string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return out
}

// number reads a whole number from low to high.
func (p *params) number(name string, otherwise, low, high int) int {
	v := p.text(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		p.refuse(name, v, "cannot be", fmt.Sprintf("a whole number from %d to %d", low, high))
		return otherwise
	}
	return n
}

// digest reads a SHA-256 in hexadecimal; "" if it is left out.
func (p *params) digest(name string) string {
	v := strings.ToLower(p.text(name))
	if _, err := hex.DecodeString(v); v != "" && (err != nil || len(v) != sha256.Size*2) {
		p.refuse(name, v, "is not a SHA-256", "64 hexadecimal digits")
		return ""
	}
	return v
}

// flag reads a switch; off if it is left out.
func (p *params) flag(name string) bool {
	switch v := p.text(name); v {
	case "1", "true":
		return true
	case "", "0", "false":
	default:
		p.refuse(name, v, "is neither on nor off", "1", "0")
	}
	return false
}

// zone reads a time zone by its IANA name; UTC if it is left out.
func (p *params) zone(name string) *time.Location {
	v := p.text(name)
	if v == "" {
		return time.UTC
	}
	zone, err := loadZone(v)
	if err != nil {
		p.refuse(name, v, "is not known as a time zone", "an IANA name such as Europe/Berlin", "UTC")
		return time.UTC
	}
	return zone
}

// span reads the parameters from and to: a half open range of time.
func (p *params) span(zone *time.Location, now time.Time) (from, to time.Time) {
	from, to = p.instant("from", zone, now), p.instant("to", zone, now)
	if p.err == nil && !from.IsZero() && !to.IsZero() && to.Before(from) {
		p.refuse("to", p.values.Get("to"), "comes before from", "a time at or after from")
	}
	return from, to
}

// instant reads a time; the zero time if it is left out.
func (p *params) instant(name string, zone *time.Location, now time.Time) time.Time {
	v := p.text(name)
	if v == "" {
		return time.Time{}
	}
	t, err := parseInstant(v, zone, now)
	if err != nil {
		p.refuse(name, v, err.Error(), instantAllowed...)
	}
	return t
}
