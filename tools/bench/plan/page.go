package plan

import (
	_ "embed"
	"fmt"
	"io"
	"math"
	"text/template"
	"time"

	"github.com/dustin/go-humanize"
)

//go:embed page.md.tmpl
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"bytes":   func(n float64) string { return humanize.Bytes(uint64(n)) },
	"count":   func(n float64) string { return humanize.Comma(int64(math.Round(n))) },
	"percent": func(n float64) string { return fmt.Sprintf("%.0f %%", 100*n) },
	"times":   func(a, b float64) string { return fmt.Sprintf("%.2f", a/b) },
	"short":   func(n float64) string { return humanize.SIWithDigits(n, 1, "") },
	"took":    func(d time.Duration) string { return d.Round(time.Second).String() },
	"days":    func(d time.Duration) string { return humanize.FtoaWithDigits(d.Hours()/24, 1) },
}).Parse(pageText))

// Row is an installation with its simulation.
type Row struct {
	*Plan
	*Simulation
}

// Write computes the installations of the inputs, simulates them and writes the page.
func Write(w io.Writer, inputs ...Input) error {
	var rows []Row
	for _, in := range inputs {
		p, err := New(in)
		if err != nil {
			return err
		}
		rows = append(rows, Row{p, p.Simulate()})
	}
	return page.Execute(w, struct {
		Rows      []Row
		First     Input
		Workloads []Workload
	}{rows, inputs[0], Workloads})
}

// PerFrame returns the bytes of a frame in ClickHouse.
func (r Row) PerFrame() float64 { return r.FrameBytes * r.StoredPer }

// OfNetwork returns the load of the busiest NATS server while another is away, of what its network takes.
func (r Row) OfNetwork() float64 { return r.LeadersAway / r.Network }
