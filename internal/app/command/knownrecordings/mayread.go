package knownrecordings

import (
	"context"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/auth/access"
)

// mayRead reports whether the client's token may read recordings. A command whose token may only
// record does not query recordings: the server would refuse each query and record the refusal in
// its audit log. If the server does not answer, mayRead returns true.
func mayRead(ctx context.Context, c *apiclient.Client) bool {
	var state struct {
		Tokens    bool
		Principal *access.Principal
	}
	if err := c.Get(ctx, "v1/login", nil, &state); err != nil || !state.Tokens || state.Principal == nil {
		return true
	}
	return state.Principal.Has(access.Read)
}
