package bench

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/template"
	"time"

	"github.com/dustin/go-humanize"

	"tapedeck/tools/bench/dataset"
)

//go:embed pages/*.md.tmpl
var pageFiles embed.FS

// pages has a template for each kind of report, which is its data.
var pages = template.Must(template.New("pages").Funcs(template.FuncMap{
	"byteRates": byteRatesText,
	"bytes":     func(n any) string { return humanize.Bytes(uint64(number(n))) },
	"count":     func(n any) string { return humanize.Comma(int64(math.Round(number(n)))) },
	"cpu":       cpuText,
	"cores":     func(cpu, took time.Duration) string { return fmt.Sprintf("%.2f", cpu.Seconds()/took.Seconds()) },
	"dataset":   func() any { return datasetFacts },
	"date":      func(t time.Time) string { return t.UTC().Format(time.DateOnly) },
	"delay":     delayText,
	"factor": func(p RecordPass) string {
		return map[bool]string{true: unitText("times", p.Factor()), false: unknown}[p.Factor() > 0]
	},
	"fixed":     func(digits int, n any) string { return fmt.Sprintf("%.*f", digits, number(n)) },
	"millionth": func(n int) float64 { return float64(n) / 1e6 },
	"known":     func(known bool, text string) string { return map[bool]string{true: text, false: unknown}[known] },
	"megabytes": func(n any) string { return unitText("megabytes", number(n)) },
	"mebibytes": func(n any) string { return fmt.Sprintf("%.1f MiB", number(n)/(1<<20)) },
	"perGB": func(cpu time.Duration, bytes uint64) string {
		return unitText("per GB", Pass{Bytes: bytes, CPU: cpu}.PerGB())
	},
	"perMillion": func(p Pass) string { return cpuText(p.CPU, p.Frames) },
	"plain": func(p Pass) string {
		return fmt.Sprintf("%.1f | %s | %.2f", p.ByteRate()/1e6, unitText("count", p.Rate()), p.Took.Seconds())
	},
	"rate":    func(bytes float64) string { return unitText("rate", bytes) },
	"rates":   ratesText,
	"round":   func(d time.Duration) time.Duration { return d.Round(time.Second) },
	"seconds": func(d time.Duration) string { return unitText("seconds", float64(d)) },
	"minus":   func(a, b int) int { return a - b },
	"unit":    unitText,
	"unknown": func() string { return unknown },
}).ParseFS(pageFiles, "pages/*.md.tmpl"))

// datasetFacts are constants of data sets that the page on scale mentions.
var datasetFacts = struct {
	Models, Customers, Teams, Environments int
	Begin, End                             time.Time
}{len(dataset.Models), dataset.Customers, len(dataset.Teams), len(dataset.Environments), dataset.Begin, dataset.End}

// Render writes the Markdown page of a report in JSON.
func Render(w io.Writer, text []byte) error {
	var head Environment
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("read the report: %w", err)
	}
	reports := map[string]any{"benchmarks": &Report{}, "scale": &ScaleReport{}, "backup": &BackupReport{},
		"soak": &SoakReport{}, "follow": &FollowReport{}}
	report, known := reports[head.Kind]
	if !known {
		return fmt.Errorf("a report of the kind %q: there is no page for it", head.Kind)
	}
	if err := json.Unmarshal(text, report); err != nil {
		return fmt.Errorf("read the report: %w", err)
	}
	return pages.ExecuteTemplate(w, head.Kind+".md.tmpl", report)
}

const unknown = "–"

// number converts a number in a report to float64.
func number(n any) float64 {
	switch n := n.(type) {
	case int:
		return float64(n)
	case int64:
		return float64(n)
	case uint64:
		return float64(n)
	case float64:
		return n
	}
	panic(fmt.Sprintf("%T is no number of a report", n))
}

// unitText formats a figure or its bar.
func unitText(unit string, x float64) string {
	switch unit {
	case "count":
		return humanize.Comma(int64(math.Round(x)))
	case "ratio":
		return fmt.Sprintf("%.2f", x)
	case "times":
		return fmt.Sprintf("%.1f×", x)
	case "bytes":
		return fmt.Sprintf("%.1f B", x)
	case "rate":
		return fmt.Sprintf("%.1f MB/s", x/1e6)
	case "per GB":
		return fmt.Sprintf("%.1f", x)
	case "kibibytes":
		return fmt.Sprintf("%.0f KiB", x/1024)
	case "megabytes":
		return fmt.Sprintf("%.0f MB", x/1e6)
	case "seconds":
		return fmt.Sprintf("%.1f s", time.Duration(x).Seconds())
	case "delay":
		return delayText(time.Duration(x))
	}
	panic("there is no unit " + unit)
}

// delayText formats a delay with three digits.
func delayText(d time.Duration) string {
	switch ms := float64(d.Microseconds()) / 1e3; {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", ms)
	case d < time.Second:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

// cpuText formats CPU-seconds per million frames.
func cpuText(cpu time.Duration, frames uint64) string {
	if cpu <= 0 || frames == 0 {
		return unknown
	}
	return fmt.Sprintf("%.1f", cpu.Seconds()/float64(frames)*1e6)
}

// byteRatesText formats the median rate in MB/s and, for several passes, their range.
func byteRatesText(p Passes) string {
	text := fmt.Sprintf("%.1f", p.Median().ByteRate()/1e6)
	if len(p) > 1 {
		low, high := p.Range()
		text += fmt.Sprintf(" (%.1f–%.1f)", low.ByteRate()/1e6, high.ByteRate()/1e6)
	}
	return text
}

// ratesText formats the median rate in frames per second and, for several passes, their range.
// Passes without frames have no rate.
func ratesText(p Passes) string {
	if p.Median().Frames == 0 {
		return ""
	}
	text := unitText("count", p.Median().Rate())
	if len(p) > 1 {
		low, high := p.Range()
		text += fmt.Sprintf(" (%s–%s)", unitText("count", low.Rate()), unitText("count", high.Rate()))
	}
	return text
}
