package network

import (
	"strconv"
	"strings"
)

// Targets of rules that are no chains.
const (
	Accept     = "ACCEPT"
	DNAT       = "DNAT"
	Drop       = "DROP"
	Mark       = "MARK"
	Masquerade = "MASQUERADE"
	Reject     = "REJECT"
	Return     = "RETURN"
)

// Rule is one line of iptables: all that is set has to match.
type Rule struct {
	Comment  string
	Protocol string // "tcp", "udp", "sctp"
	// Source and Destination are addresses or ranges; NotSource matches everybody else.
	Source, NotSource, Destination string
	Port                           int32 // of the destination
	SourceLocal, DestinationLocal  bool  // -m addrtype: an address of this machine
	// Recent is a list of clients (-m recent): with Seconds the rule matches who was set on it within them, else it sets.
	Recent  string
	Seconds int32
	// OneOf is a chance of one in that many (-m statistic); 0 and 1 always match.
	OneOf int
	// Flags go behind the matches, for what the simulation does not look at: "-m mark ! --mark 0x4000/0x4000".
	Flags string
	// Target is where to go on, or what to do; To is DNAT's new destination, Options what Target takes besides.
	Target, To, Options string
}

// Chain is a list of rules.
type Chain struct {
	Name  string
	Rules []Rule
}

// Ruleset is what kube-proxy writes at once: its chains of two tables.
type Ruleset struct{ Filter, NAT []Chain }

// Size counts the rules.
func (r *Ruleset) Size() (n int) {
	for _, table := range [][]Chain{r.Filter, r.NAT} {
		for i := range table {
			n += len(table[i].Rules)
		}
	}
	return n
}

func (r *Ruleset) chain(table []Chain, name string) *Chain {
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}

// String is the text that iptables-restore takes.
func (r *Ruleset) String() string {
	var b strings.Builder
	for _, t := range []struct {
		name   string
		chains []Chain
	}{{"filter", r.Filter}, {"nat", r.NAT}} {
		b.WriteString("*" + t.name + "\n")
		for i := range t.chains {
			b.WriteString(":" + t.chains[i].Name + " - [0:0]\n")
		}
		for i := range t.chains {
			for j := range t.chains[i].Rules {
				b.WriteString("-A " + t.chains[i].Name + t.chains[i].Rules[j].String() + "\n")
			}
		}
		b.WriteString("COMMIT\n")
	}
	return b.String()
}

// String is the rule as iptables-restore takes it, with a blank in front.
func (r *Rule) String() string {
	var b strings.Builder
	add := func(words ...string) {
		for _, w := range words {
			b.WriteString(" " + w)
		}
	}
	if r.Comment != "" {
		comment := r.Comment
		if strings.ContainsAny(comment, " \t") {
			comment = strconv.Quote(comment)
		}
		add("-m", "comment", "--comment", comment)
	}
	if r.Recent != "" {
		if r.Seconds > 0 {
			add("-m", "recent", "--name", r.Recent, "--rcheck", "--seconds", strconv.Itoa(int(r.Seconds)), "--reap")
		} else {
			add("-m", "recent", "--name", r.Recent, "--set")
		}
	}
	if r.SourceLocal {
		add("-m", "addrtype", "--src-type", "LOCAL")
	}
	if r.DestinationLocal {
		add("-m", "addrtype", "--dst-type", "LOCAL")
	}
	if r.Protocol != "" {
		add("-m", r.Protocol, "-p", r.Protocol)
	}
	if r.Destination != "" {
		add("-d", r.Destination)
	}
	if r.Port != 0 {
		add("--dport", strconv.Itoa(int(r.Port)))
	}
	if r.NotSource != "" {
		add("!", "-s", r.NotSource)
	}
	if r.Source != "" {
		add("-s", r.Source)
	}
	if r.OneOf > 1 {
		add("-m", "statistic", "--mode", "random", "--probability", probability(r.OneOf))
	}
	if r.Flags != "" {
		add(r.Flags)
	}
	add("-j", r.Target)
	if r.To != "" {
		add("--to-destination", r.To)
	}
	if r.Options != "" {
		add(r.Options)
	}
	return b.String()
}

// probability is 1/n with ten decimals, in whole numbers. Upstream: pkg/proxy/iptables/proxier.go, computeProbability.
func probability(n int) string {
	const one = 10_000_000_000
	digits := strconv.Itoa((one + n/2) / n)
	return "0." + strings.Repeat("0", 10-len(digits)) + digits
}
