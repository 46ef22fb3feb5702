package cluster

import (
	"strings"

	"kubewalk/playground/trace"
)

// Type is the input that types a line, Value, to the command that goes on at the terminal, kubectl exec -it, or to the one at the end of a
// Connection. Ctrl-C is "\x03", Ctrl-D "\x04".
const Type Kind = "type"

var _ = register(Type, action{
	validate: func(Input) error { return nil },
	words:    func(in Input) string { return string(in.Kind) + " " + visible(in.Value) },
	attrs: func(in Input) []trace.Attr {
		return append(trace.Attrs("line", visible(in.Value)), given("connection", in.Connection)...)
	},
	do: func(c *Cluster, i int) {
		o := &c.results[i]
		name := o.Input.Connection
		o.Done = true
		switch {
		case name != "":
			if !c.typeTo(name, o.Input.Value) {
				o.Error = "no command is at the end of connection " + name + ": a request for exec or attach opens one"
				c.tell(Type, "", o.Error)
			}
		case !c.terminal.Type(o.Input.Value):
			o.Error = "no command reads what is typed: kubectl exec -it runs one that does"
			c.tell(Type, "", o.Error)
		}
	},
})

// visible is a line with its keys as a terminal shows them.
func visible(line string) string {
	return strings.NewReplacer("\x03", "^C", "\x04", "^D").Replace(line)
}
