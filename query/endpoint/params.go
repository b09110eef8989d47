package endpoint

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

// Params reads a request's parameters and keeps the first error.
type Params struct {
	values url.Values
	known  []string // the names that the handler has read so far
	err    error
}

// NewParams parses the query of a request's URL.
func NewParams(r *http.Request) *Params {
	values, err := url.ParseQuery(r.URL.RawQuery)
	p := &Params{values: values}
	if err != nil {
		p.err = problem.BadParameter("", "The query of the URL cannot be read: "+err.Error())
	}
	return p
}

// Done returns the first error. A parameter that the handler did not read is an error.
func (p *Params) Done() error {
	if p.err != nil {
		return p.err
	}
	if bad := problem.UnknownParameter(p.values, p.known...); bad != nil {
		return bad
	}
	return nil
}

// Has reports whether the parameter is present.
func (p *Params) Has(name string) bool { return p.values.Has(name) }

// Value returns the text of the parameter.
func (p *Params) Value(name string) string { return p.values.Get(name) }

// Refuse records an error for an invalid parameter.
func (p *Params) Refuse(name, value, why string, allowed ...string) {
	if p.err == nil {
		p.err = problem.BadParameter(name, fmt.Sprintf("%s %q %s.", name, value, why), allowed...)
	}
}

// Text reads a parameter that may occur once; "" if it is left out.
func (p *Params) Text(name string) string {
	p.known = append(p.known, name)
	list := p.values[name]
	if len(list) > 1 {
		p.Refuse(name, strings.Join(list, " "), "is given several times", "once")
		return ""
	}
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// Texts reads a parameter that may be repeated. Empty values are ignored.
func (p *Params) Texts(name string) []string {
	p.known = append(p.known, name)
	var list []string
	for _, v := range p.values[name] {
		if v != "" {
			list = append(list, v)
		}
	}
	return list
}

// Names is Texts with at most one empty value, which means an unknown name.
func (p *Params) Names(name string) []string {
	list := p.Texts(name)
	if slices.Contains(p.values[name], "") {
		list = append(list, "")
	}
	return list
}

// Words is Texts for values without commas, which separate values too.
func (p *Params) Words(name string) []string {
	var list []string
	for _, v := range p.Texts(name) {
		for word := range strings.SplitSeq(v, ",") {
			if word = strings.TrimSpace(word); word != "" && !slices.Contains(list, word) {
				list = append(list, word)
			}
		}
	}
	return list
}

// OneOf reads one of the allowed words; "" if the parameter is left out.
func OneOf[W ~string](p *Params, name string, allowed []W) W {
	v := p.Text(name)
	if v != "" && !slices.Contains(allowed, W(v)) {
		p.Refuse(name, v, "is not known", asStrings(allowed)...)
		return ""
	}
	return W(v)
}

// SomeOf reads several of the allowed words.
func SomeOf[W ~string](p *Params, name string, allowed []W) []W {
	var list []W
	for _, v := range p.Words(name) {
		if !slices.Contains(allowed, W(v)) {
			p.Refuse(name, v, "is not known", asStrings(allowed)...)
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

// Number reads a whole number from low to high; otherwise if it is left out.
func (p *Params) Number(name string, otherwise, low, high int) int {
	v := p.Text(name)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < low || n > high {
		p.Refuse(name, v, "is invalid", fmt.Sprintf("a whole number from %d to %d", low, high))
		return otherwise
	}
	return n
}

// Digest reads a SHA-256 in hexadecimal; "" if it is left out.
func (p *Params) Digest(name string) string {
	v := p.Text(name)
	if v == "" {
		return ""
	}
	return p.digest(name, v)
}

// digest returns a SHA-256 in lower case; "" if it is refused.
func (p *Params) digest(name, v string) string {
	v = strings.ToLower(v)
	if _, err := hex.DecodeString(v); err != nil || len(v) != sha256.Size*2 {
		p.Refuse(name, v, "is not a SHA-256", "64 hexadecimal digits")
		return ""
	}
	return v
}

// Digests reads SHA-256s in hexadecimal, at most so many; nil if the parameter is left out.
func (p *Params) Digests(name string, most int) []string {
	var list []string
	for _, v := range p.Texts(name) {
		if v = p.digest(name, v); v == "" {
			return nil
		}
		list = append(list, v)
	}
	if len(list) > most {
		p.Refuse(name, fmt.Sprintf("%d values", len(list)), "are too many", fmt.Sprintf("at most %d", most))
		return nil
	}
	return list
}

// Flag reads a boolean, 1 or 0; false if it is left out.
func (p *Params) Flag(name string) bool {
	switch v := p.Text(name); v {
	case "1", "true":
		return true
	case "", "0", "false":
	default:
		p.Refuse(name, v, "is neither on nor off", "1", "0")
	}
	return false
}

// Zone reads a time zone by its IANA name; UTC if it is left out.
func (p *Params) Zone(name string) *time.Location {
	v := p.Text(name)
	if v == "" {
		return time.UTC
	}
	zone, err := loadZone(v)
	if err != nil {
		p.Refuse(name, v, "is not known as a time zone", "an IANA name such as Europe/Berlin", "UTC")
		return time.UTC
	}
	return zone
}

// Range reads the parameters from and to: a half open range of time.
func (p *Params) Range(zone *time.Location, now time.Time) (from, to time.Time) {
	from, to = p.Instant("from", zone, now), p.Instant("to", zone, now)
	if p.err == nil && !from.IsZero() && !to.IsZero() && to.Before(from) {
		p.Refuse("to", p.Value("to"), fmt.Sprintf("is before the beginning of the range, %q", p.Value("from")), "a time at or after from")
	}
	return from, to
}

// Instant reads a time; the zero time if it is left out.
func (p *Params) Instant(name string, zone *time.Location, now time.Time) time.Time {
	v := p.Text(name)
	if v == "" {
		return time.Time{}
	}
	t, err := ParseInstant(v, zone, now)
	if err != nil {
		p.Refuse(name, v, err.Error(), instantAllowed...)
	}
	return t
}
