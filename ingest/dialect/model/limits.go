package model

import "tapedeck/schema"

// SetLimit records what the present frame states of a limit of the conversation's account.
func (t *Conversation) SetLimit(l schema.Limit) { t.Emitter.SetLimit(t.Session, l, t.Frame) }
