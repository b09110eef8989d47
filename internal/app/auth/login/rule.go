package login

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tapedeck/ingest"
	"tapedeck/internal/app/auth/access"
)

// Rule maps a value of a claim to rights in a tenant.
type Rule struct {
	Claim string
	Value string
	access.Grant
}

// ParseRule parses CLAIM=VALUE:tenant=TENANT,scopes=SCOPE,… The value may contain these separators:
// it ends at the last ":tenant=".
func ParseRule(text string) (Rule, error) {
	bad := func(why string) (Rule, error) {
		return Rule{}, fmt.Errorf("%q: %s; it must be like groups=team-a:tenant=team-a,scopes=read,read:raw", text, why)
	}
	claim, rest, ok := strings.Cut(text, "=")
	if !ok || claim == "" {
		return bad("it names no claim")
	}
	at := strings.LastIndex(rest, ":tenant=")
	if at <= 0 {
		return bad("it has no claim's value before \":tenant=\"")
	}
	tenant, list, ok := strings.Cut(rest[at+len(":tenant="):], ",scopes=")
	if !ok {
		return bad("it has no \",scopes=\" after the tenant")
	}
	r := Rule{Claim: claim, Value: rest[:at], Grant: access.Grant{Tenant: tenant}}
	for name := range strings.SplitSeq(list, ",") {
		r.Scopes = append(r.Scopes, access.Scope(name))
	}
	if err := access.CheckScopes(r.Scopes); err != nil {
		return bad(err.Error())
	}
	if tenant == access.AllTenants {
		if !slices.Contains(r.Scopes, access.Admin) {
			return bad("the tenant * stands for all tenants and goes with the scope admin only")
		}
	} else if err := ingest.CheckTenant(tenant); err != nil {
		return bad(err.Error())
	}
	return r, nil
}

// grantsOf returns the rights that the rules grant to a user with the given claims. For each tenant
// it returns the scopes of all matching rules, in the order of the rules.
func grantsOf(rules []Rule, claims map[string]any) []access.Grant {
	var grants []access.Grant
	for _, r := range rules {
		if !slices.Contains(values(claim(claims, r.Claim)), r.Value) {
			continue
		}
		i := slices.IndexFunc(grants, func(g access.Grant) bool { return g.Tenant == r.Tenant })
		if i < 0 {
			grants = append(grants, access.Grant{Tenant: r.Tenant})
			i = len(grants) - 1
		}
		for _, s := range r.Scopes {
			if !slices.Contains(grants[i].Scopes, s) {
				grants[i].Scopes = append(grants[i].Scopes, s)
			}
		}
	}
	return grants
}

// claim returns the claim with a name, which may be a path of names separated by dots.
func claim(claims map[string]any, name string) any {
	if v, has := claims[name]; has {
		return v
	}
	for i, r := range name {
		if r != '.' {
			continue
		}
		if inner, is := claims[name[:i]].(map[string]any); is {
			if v := claim(inner, name[i+1:]); v != nil {
				return v
			}
		}
	}
	return nil
}

// values returns the values of a claim as texts. The claim is a text, a number, a boolean, or an
// array of these.
func values(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case bool:
		return []string{strconv.FormatBool(v)}
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}
	case []any:
		var all []string
		for _, one := range v {
			if _, nested := one.([]any); !nested {
				all = append(all, values(one)...)
			}
		}
		return all
	}
	return nil
}
