package bench

import (
	"runtime"
	"time"

	"tapedeck/tools/bench/dataset"
)

// Environment holds the fields with which all reports begin. Kind names the report and its
// template.
type Environment struct {
	Kind     string        `json:"kind"` // benchmarks, scale, soak, backup or follow
	Version  string        `json:"version"`
	Go       string        `json:"go"`
	Platform string        `json:"platform"`
	When     time.Time     `json:"when"`
	Took     time.Duration `json:"took_ns"`
	Machine  Machine       `json:"machine"`
	Bars     []Bar         `json:"bars"`
}

// environment describes the measured program and machine.
func (s *Setup) environment(kind string) Environment {
	return Environment{
		Kind: kind, Version: s.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		When: time.Now().UTC(), Machine: thisMachine(s.Dir),
	}
}

// Report is the result of Run.
type Report struct {
	Environment
	Quick   bool    `json:"quick,omitempty"`
	Given   bool    `json:"given"` // the frames come from a file and were not generated
	Frames  uint64  `json:"frames"`
	Bytes   uint64  `json:"bytes"`
	Results Results `json:"results"`
}

// FrameBytes returns the mean size of a frame, bytes.
func (r *Report) FrameBytes() float64 { return float64(r.Bytes) / float64(r.Frames) }

// ScaleReport is the result of Scale.
type ScaleReport struct {
	Environment
	Filled   time.Duration     `json:"filled_ns,omitempty"` // time to fill the data set; 0 if it existed
	Settled  time.Duration     `json:"settled_ns"`          // time to settle usage, or to find that it is settled
	Smaller  bool              `json:"smaller,omitempty"`   // the data set is smaller than the one that the bars are for
	Data     dataset.Options   `json:"data"`
	Expected *dataset.Expected `json:"expected"`
	Tables   []TableSize       `json:"tables"`
	Answers  []Answers         `json:"answers"`
}

// FillRate returns the frames per second with which the data set was filled.
func (r *ScaleReport) FillRate() float64 { return float64(r.Expected.Frames) / r.Filled.Seconds() }

// BackupReport is the result of Backups.
type BackupReport struct {
	Environment
	Frames      uint64        `json:"frames"`
	Sessions    int           `json:"sessions"`
	Bytes       int64         `json:"bytes"` // size of the full backup
	Full        time.Duration `json:"full_ns"`
	Incremental time.Duration `json:"incremental_ns"`
	Restore     time.Duration `json:"restore_ns"`
	Verify      time.Duration `json:"verify_ns"`
}

// SoakReport is the result of Soak. Sent and Confirmed include the frames of Looped.
type SoakReport struct {
	Environment
	Connections int           `json:"connections"`
	Replays     int           `json:"replays"`
	For         time.Duration `json:"for_ns"`
	Recording   time.Duration `json:"recording_ns"`
	CPU         time.Duration `json:"cpu_ns"` // of all processes during the recording, including this one

	Sent        int      `json:"sent"`
	Confirmed   int      `json:"confirmed"`
	Looped      int      `json:"looped"` // frames of sessions that were recorded before
	Expected    int      `json:"expected"`
	Stored      int      `json:"stored"`
	Followed    int      `json:"followed"`  // frames that followers read
	Playbacks   int      `json:"playbacks"` // of stored sessions
	Replayed    int      `json:"replayed"`  // frames of these playbacks
	Errors      int      `json:"errors"`
	FirstErrors []string `json:"first_errors,omitempty"`
	Logged      []string `json:"logged,omitempty"` // errors in the server's log, the first of each kind

	Server     Memory `json:"server"`
	ClickHouse Memory `json:"clickhouse"`
}

// FollowReport is the result of Follow.
type FollowReport struct {
	Environment
	Rate int           `json:"rate"` // frames per second of the session
	For  time.Duration `json:"for_ns"`
	Runs []Following   `json:"runs"`
}
