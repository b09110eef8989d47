package upload

import "time"

// State is how a client's link stands, for people and for checks.
type State struct {
	Server    string    `json:"server"`
	Connected bool      `json:"connected"`
	Parcels   int       `json:"parcels"` // on their way
	Bytes     int64     `json:"bytes"`   // of their blocks
	DownSince time.Time `json:"down_since,omitzero"`
	LastError string    `json:"last_error,omitempty"` // of the last connection that broke or was not made
}

// State tells how the link stands.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := State{Server: c.opts.Server, Connected: c.up, Parcels: c.queue.count, Bytes: c.queue.bytes}
	if !c.up {
		st.DownSince = c.down
	}
	if c.trouble != nil {
		st.LastError = c.trouble.Error()
	}
	return st
}
