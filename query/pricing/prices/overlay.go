package prices

import (
	_ "embed"
	"regexp"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
)

// overlayFile holds the rules and amendments for what the built-in table lacks, each with its
// source.
//
//go:embed overlay.yaml
var overlayFile string

// overlayContent is what overlay.yaml states: rules, and amendments of published tables.
type overlayContent struct {
	rules  []Rule
	models []addedModel
	days   []peakDays
	names  map[string]string // by provider id: the prefix of the names of the provider's own models
}

// addedModel is a model that the newest published table lacks.
type addedModel struct {
	provider string
	Model
}

// peakDays are the days of the week to which the prices by time of day of some models are limited.
// The published table applies these prices on every day.
type peakDays struct {
	scope  Scope // provider and model; its weekdays are the days
	origin *Origin
}

var ownOverlay = sync.OnceValue(func() *overlayContent {
	o, err := readOverlay("overlay.yaml", overlayFile)
	if err != nil {
		panic(err) // TestOverlay parses the same text
	}
	return o
})

// Overlay returns the program's rules for prices that its table lacks.
func Overlay() []Rule { return ownOverlay().rules }

func readOverlay(name, text string) (*overlayContent, error) {
	r, o := &fileReader{file: name}, &overlayContent{}
	if top := r.document(text); top != nil {
		r.fields(top, "", map[string]field{
			"own_names": func(n *yaml.Node, path string) { o.names = r.tags(n, path) },
			"rules":     func(n *yaml.Node, path string) { o.rules = r.readRules(n, path, overlay) },
			"models": func(n *yaml.Node, path string) {
				r.items(n, path, func(n *yaml.Node, path string) { o.models = append(o.models, r.addedModel(n, path)) })
			},
			"peak_days": func(n *yaml.Node, path string) {
				r.items(n, path, func(n *yaml.Node, path string) { o.days = append(o.days, r.peakDays(n, path)) })
			},
		})
	}
	if len(r.errors) > 0 {
		return nil, r.errors
	}
	return o, nil
}

// addedModel reads a model: its prices, or the prices of several periods.
func (r *fileReader) addedModel(n *yaml.Node, path string) (m addedModel) {
	failed := len(r.errors)
	r.fields(n, path, map[string]field{
		"provider": func(n *yaml.Node, path string) { m.provider = r.text(n, path) },
		"model":    func(n *yaml.Node, path string) { m.ID = r.text(n, path) },
		"prices": func(n *yaml.Node, path string) {
			m.Prices = append(m.Prices, Period{Prices: r.prices(n, path)})
		},
		"periods": func(n *yaml.Node, path string) {
			r.items(n, path, func(n *yaml.Node, path string) { m.Prices = append(m.Prices, r.period(n, path)) })
		},
		"source": func(n *yaml.Node, path string) { m.Origin = r.origin(n, path) },
	})
	if len(r.errors) == failed && (m.provider == "" || m.ID == "" || len(m.Prices) == 0 || m.Origin == nil) {
		r.fail(n, path, "a model has provider, model, prices or periods, and source")
		return m
	}
	m.Match = namesOf(m.ID)
	return m
}

// namesOf returns a clause that matches the model's name, with or without the date of a snapshot.
func namesOf(id string) *Clause {
	c := &Clause{Or: []Clause{{Equals: id}, {Regex: "^" + regexp.QuoteMeta(id) + `[-@](\d{8}|\d{4}-\d{2}-\d{2})$`}}}
	if err := c.compile(0); err != nil {
		panic(err) // the id is quoted
	}
	return c
}

func (r *fileReader) period(n *yaml.Node, path string) (p Period) {
	c := &p.Constraint
	known := r.recurring(&c.Recurring)
	known["from"] = func(n *yaml.Node, path string) { c.StartDate = r.moment(n, path).Format(time.DateOnly) }
	known["prices"] = func(n *yaml.Node, path string) { p.Prices = r.prices(n, path) }
	r.fields(n, path, known)
	if !c.IsZero() {
		if err := c.read(); err != nil {
			r.fail(n, path, "%v", err)
		}
	}
	return p
}

func (r *fileReader) peakDays(n *yaml.Node, path string) (d peakDays) {
	r.fields(n, path, map[string]field{
		"provider": func(n *yaml.Node, path string) { d.scope.Provider = r.texts(n, path) },
		"model":    func(n *yaml.Node, path string) { d.scope.Model = r.texts(n, path) },
		"weekdays": func(n *yaml.Node, path string) { d.scope.Weekdays = r.texts(n, path) },
		"source":   func(n *yaml.Node, path string) { d.origin = r.origin(n, path) },
	})
	if d.scope.Weekdays == nil || d.origin == nil {
		r.fail(n, path, "peak days have weekdays and a source")
	} else if err := d.scope.Recurring.read(); err != nil {
		r.fail(n, path, "%v", err)
	}
	return d
}

// recurring returns the readers of times of day and days of the week. The caller must check the
// result with Recurring.read.
func (r *fileReader) recurring(to *Recurring) map[string]field {
	return map[string]field{
		"start_time": func(n *yaml.Node, path string) { to.StartTime = r.text(n, path) },
		"end_time":   func(n *yaml.Node, path string) { to.EndTime = r.text(n, path) },
		"weekdays":   func(n *yaml.Node, path string) { to.Weekdays = r.texts(n, path) },
	}
}
