package upload

import "time"

// State describes a client's connection, for display and for checks.
type State struct {
	Server    string    `json:"server"`
	Connected bool      `json:"connected"` // the last request was answered by the server
	Blocks    int       `json:"blocks"`    // accepted and not settled
	Bytes     int64     `json:"bytes"`     // size of these blocks
	DownSince time.Time `json:"down_since,omitzero"`
	LastError string    `json:"last_error,omitempty"` // error of the last failed request
}

// State returns the client's state.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := State{Server: c.opts.Server, Connected: c.up, Blocks: c.count(), Bytes: c.bytes}
	if !c.up {
		st.DownSince = c.down
	}
	if c.trouble != nil {
		st.LastError = c.trouble.Error()
	}
	return st
}
