package atif

import "encoding/json"

// The types below are the objects of the format. A reader of Harbor refuses members that are not part of the
// format, so what it has no place for is in extra.

type trajectory struct {
	Version      string        `json:"schema_version"`
	SessionID    string        `json:"session_id"`
	TrajectoryID string        `json:"trajectory_id"`
	Agent        agent         `json:"agent"`
	Steps        []*step       `json:"steps"`
	Totals       totals        `json:"final_metrics"`
	SubAgents    []*trajectory `json:"subagent_trajectories,omitempty"`
}

type agent struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Model   string `json:"model_name,omitempty"`
}

type totals struct {
	Prompt     int64    `json:"total_prompt_tokens"`
	Completion int64    `json:"total_completion_tokens"`
	Cached     int64    `json:"total_cached_tokens"`
	Cost       *float64 `json:"total_cost_usd,omitempty"`
	Steps      int      `json:"total_steps"`
}

type step struct {
	ID          int          `json:"step_id"` // from 1
	Time        string       `json:"timestamp"`
	Source      source       `json:"source"`
	Model       string       `json:"model_name,omitempty"`
	Message     string       `json:"message"`
	Reasoning   string       `json:"reasoning_content,omitempty"`
	Calls       []call       `json:"tool_calls,omitempty"`
	Observation *observation `json:"observation,omitempty"`
	Metrics     *metrics     `json:"metrics,omitempty"`
	ModelCalls  *int         `json:"llm_call_count,omitempty"` // nil if the recording does not state calls of models
	Extra       extra        `json:"extra,omitempty"`
}

// source is who a step comes from.
type source string

const (
	fromSystem source = "system"
	fromUser   source = "user"
	fromAgent  source = "agent"
)

type call struct {
	ID        string          `json:"tool_call_id"`
	Name      string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"` // an object
	Extra     extra           `json:"extra,omitempty"`
}

type observation struct {
	Results []result `json:"results"`
}

type result struct {
	CallID    string      `json:"source_call_id,omitempty"` // of a call of the same step
	Content   string      `json:"content,omitempty"`
	SubAgents []reference `json:"subagent_trajectory_ref,omitempty"`
	Extra     extra       `json:"extra,omitempty"`
}

// reference names an embedded trajectory.
type reference struct {
	TrajectoryID string `json:"trajectory_id"`
}

type metrics struct {
	Prompt     int64    `json:"prompt_tokens"`
	Completion int64    `json:"completion_tokens"`
	Cached     int64    `json:"cached_tokens"`
	Cost       *float64 `json:"cost_usd,omitempty"`
}

// extra holds members that the format does not define.
type extra map[string]string

// with returns e with a member, unless its text is empty.
func (e extra) with(name, text string) extra {
	if text == "" {
		return e
	}
	if e == nil {
		e = extra{}
	}
	e[name] = text
	return e
}
