package custom

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

// conditions reads a mapping from paths to conditions.
func (d *document) conditions(n *yaml.Node, at string) (list conditions) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 || len(n.Content) > 2*maxConditions {
		d.wrong(n, at, "this must be a mapping of 1 to %d paths to the values there, such as {type: end}", maxConditions)
		return nil
	}
	o := object{doc: d, node: n, at: at}
	o.members(func(key, value *yaml.Node) {
		p, err := parsePath(key.Value)
		if err != nil {
			d.wrong(key, at, "%v", err)
			return
		}
		if c, ok := d.condition(value, o.below(key.Value)); ok {
			c.at = p
			list = append(list, c)
		}
	})
	return list
}

// condition reads the condition on a path: a value, or a mapping of tests.
func (d *document) condition(n *yaml.Node, at string) (c condition, ok bool) {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		no := false
		c.exists = &no
		return c, true
	case n.Kind == yaml.ScalarNode:
		c.in, c.hasIn = []string{n.Value}, true
		return c, true
	}
	o, ok := d.object(n, at, "equals", "in", "not", "exists", "regex", "not_regex", "last_of")
	if !ok || len(n.Content) == 0 {
		d.wrong(n, at, "this must be a value, or a mapping with equals, in, not, exists, regex, not_regex or last_of")
		return c, false
	}
	if e := o.get("equals"); e != nil {
		c.in, c.hasIn = []string{o.text("equals")}, true
	}
	if o.get("in") != nil {
		c.in, c.hasIn = append(c.in, o.values("in")...), true
	}
	if n := o.get("not"); n != nil {
		if n.Kind == yaml.ScalarNode {
			c.not = []string{n.Value}
		} else {
			c.not = o.values("not")
		}
	}
	if o.get("exists") != nil {
		yes := o.yes("exists")
		c.exists = &yes
	}
	if r := o.get("regex"); r != nil {
		c.regex = d.regex(r, o.below("regex"))
	}
	if r := o.get("not_regex"); r != nil {
		c.notRegex = d.regex(r, o.below("not_regex"))
	}
	c.lastOf = o.places("last_of")
	return c, true
}

// values reads a list of texts.
func (o *object) values(key string) (list []string) {
	for _, n := range o.list(key, maxValues) {
		if n.Kind != yaml.ScalarNode {
			o.doc.wrong(n, o.below(key), "%s is not a text", show(n))
			return nil
		}
		list = append(list, n.Value)
	}
	return list
}

// regex reads a regular expression in RE2 syntax, which matches in linear time.
func (d *document) regex(n *yaml.Node, at string) *regexp.Regexp {
	if n.Kind != yaml.ScalarNode || len(n.Value) > maxRegex {
		d.wrong(n, at, "this must be a regular expression of at most %d bytes", maxRegex)
		return nil
	}
	re, err := regexp.Compile(n.Value)
	if err != nil {
		d.wrong(n, at, "%v", err)
		return nil
	}
	return re
}
