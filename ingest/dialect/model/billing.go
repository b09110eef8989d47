package model

import "tapedeck/schema"

// Billing is what frames state about the price of usages outside of the usages' JSON, see
// schema.Billing.
type Billing struct {
	RequestedModel, ServiceTier, Speed, Region, RequestID, MessageID string
}

// addTo sets what is known about a usage so far.
func (b *Billing) addTo(u *schema.Billing) {
	for _, text := range [...]struct {
		stated string
		to     *string
	}{
		{b.RequestedModel, &u.RequestedModel}, {b.ServiceTier, &u.ServiceTier}, {b.Speed, &u.Speed}, {b.Region, &u.Region},
		{b.RequestID, &u.RequestID}, {b.MessageID, &u.MessageID},
	} {
		if text.stated != "" {
			*text.to = text.stated
		}
	}
}
