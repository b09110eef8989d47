package model

import "tapedeck/schema"

// Billing is what frames state of the price of usages outside the usages' own JSON, see
// schema.Billing.
type Billing struct {
	RequestedModel, ServiceTier, Speed, Region, RequestID, MessageID string
}

// addTo sets what is known of a usage by now.
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
