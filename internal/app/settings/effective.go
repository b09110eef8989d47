package settings

import (
	"encoding"
	"fmt"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tapedeck/ingest/delivery/jetstream"
)

// Effective is a setting that a server runs with.
type Effective struct {
	Name  string `json:"name"`
	Value string `json:"value"` // secrets are masked
	From  Origin `json:"from"`
	flag  *kong.Flag
	raw   string // with secrets and the text of files, to compare
}

// Effective returns the settings of the server by name.
func (s *Sources) Effective() []Effective {
	if s.server == nil {
		return nil
	}
	var list []Effective
	for _, f := range s.server.Flags {
		if f.Name == "help" {
			continue
		}
		from := s.Of(f.Name)
		if f.Name == "config" && s.path != "" && from.Kind == FromDefault {
			from = Origin{Kind: FromEnvironment, Name: f.Envs[0]}
		}
		value := valueText(f)
		if f.Name == "config" {
			value = s.path
		}
		list = append(list, Effective{f.Name, value, from, f, rawText(f)})
	}
	slices.SortFunc(list, func(a, b Effective) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// rawText returns a text that differs if a setting has changed: its value, and for a list of files
// their contents.
func rawText(f *kong.Flag) string {
	raw := fmt.Sprint(f.Target.Interface())
	if paths, is := f.Target.Interface().([]string); is && f.Tag.Get("reload") == "files" {
		for _, path := range paths {
			text, _ := os.ReadFile(path) // built-in rules have no file
			raw += "\x00" + string(text)
		}
	}
	return raw
}

// valueText formats the value of a setting, without secrets.
func valueText(f *kong.Flag) string {
	v := f.Target.Interface()
	if f.Tag.Get("secret") == "url" {
		return jetstream.RedactServers(fmt.Sprint(v))
	}
	if f.Tag.Get("secret") == "path" {
		return hostsOf(v.([]string))
	}
	switch v := v.(type) {
	case encoding.TextMarshaler:
		text, err := v.MarshalText()
		if err == nil {
			return string(text)
		}
	case time.Duration:
		return shortDuration(v)
	case []string:
		return strings.Join(v, ",")
	}
	if f.Target.Kind() == reflect.Float64 {
		return strings.TrimSuffix(fmt.Sprintf("%g", v), ".0")
	}
	return fmt.Sprint(v)
}

// hostsOf returns URLs without what comes after their hosts, which may be a secret.
func hostsOf(urls []string) string {
	list := make([]string, len(urls))
	for i, text := range urls {
		list[i] = "…"
		if u, err := url.Parse(text); err == nil && u.Host != "" {
			list[i] = u.Scheme + "://" + u.Host + "/…"
		}
	}
	return strings.Join(list, ",")
}

// shortDuration formats 1m0s as 1m.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
