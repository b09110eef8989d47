package archive

import (
	"cmp"
	"context"
	"strings"

	"tapedeck/ingest"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/commandline"
)

// belongTo checks that an archive has the recordings of the client's server and tenant. The first run notes them.
func (s *state) belongTo(ctx context.Context, client *apiclient.Client) error {
	var login struct {
		Principal *struct {
			Tenant string `json:"tenant"`
		} `json:"principal"`
	}
	if err := client.Get(ctx, "v1/login", nil, &login); err != nil {
		return err
	}
	base := *client.Base
	base.User = nil
	server, tenant := strings.TrimRight(base.String(), "/"), ingest.DefaultTenant
	if login.Principal != nil {
		tenant = cmp.Or(login.Principal.Tenant, tenant)
	}
	if s.Server != "" && (s.Server != server || s.Tenant != tenant) {
		return commandline.Errorf("the archive has recordings of tenant %s of %s, and not of tenant %s of %s: name another place, "+
			"or change \"server\" in its %s if that server has another address now", s.Tenant, s.Server, tenant, server, stateName)
	}
	s.Server, s.Tenant = server, tenant
	return nil
}
