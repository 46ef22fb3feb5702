package kubectl

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// flag is one option of a command.
type flag struct {
	name, short string
	kind        byte   // one of the letters below
	bare        string // what --name without a value means; "" when it needs one
	otherwise   string // what it is when it is not given, as --help shows it; "" for false, 0, [], or what bare is; noDefault for nothing
	absent      bool   // kubectl has it and this one does not: it is refused, unless it is a switch that is turned off
}

// The kinds of flags, as specifications name them.
const (
	isBool     = '?' // --force, --force=false
	isText     = '=' // --output=yaml, --output yaml
	isList     = '*' // --from-literal=a=b, again and again
	isNumber   = '#' // --replicas=3
	isDuration = '~' // --timeout=30s
)

// noDefault is what a map is by default: not even [].
const noDefault = "-"

// globalFlags every command takes. Upstream: cli-runtime pkg/genericclioptions, ConfigFlags.
const globalFlags = "kubeconfig= namespace,n= context= request-timeout=@0 as= as-group* as-uid= as-user-extra* v,v# help,h?" // order: as declared

// parseSpec reads what flags there are: "output,o= all? timeout~ cascade=:background tail#@-1". What ends with ! is absent.
func parseSpec(spec string) []flag {
	var out []flag
	for _, word := range strings.Fields(spec) {
		word, absent := strings.CutSuffix(word, "!")
		end := strings.IndexAny(word, "?=*#~")
		f := flag{kind: word[end], absent: absent}
		f.name, f.short, _ = strings.Cut(word[:end], ",")
		word, f.otherwise, _ = strings.Cut(word, "@")
		_, f.bare, _ = strings.Cut(word[end+1:], ":")
		if f.kind == isBool {
			f.bare = "true"
		}
		out = append(out, f)
	}
	return out
}

// values are the flags that were given, each as often as it was.
type values map[string][]string

func (v values) has(name string) bool { return len(v[name]) > 0 }

func (v values) text(name string) string {
	if all := v[name]; len(all) > 0 {
		return all[len(all)-1]
	}
	return ""
}

// all are the values of a list, also of one that is written with commas.
func (v values) all(name string) []string { return v[name] }

func (v values) or(name, otherwise string) string {
	if v.has(name) {
		return v.text(name)
	}
	return otherwise
}

// yes is a bool's value; parse has seen that it is one.
func (v values) yes(name string) bool { return v.yesOr(name, false) }

func (v values) yesOr(name string, otherwise bool) bool {
	if !v.has(name) {
		return otherwise
	}
	b, _ := strconv.ParseBool(v.text(name))
	return b
}

func (v values) number(name string, otherwise int64) int64 {
	if !v.has(name) {
		return otherwise
	}
	n, _ := strconv.ParseInt(v.text(name), 0, 64)
	return n
}

func (v values) duration(name string) time.Duration {
	d, _ := time.ParseDuration(v.text(name))
	return d
}

// flagError is a flag that cannot be; arg is the argument that it is in.
type flagError struct {
	arg     int
	message string
}

func (e *flagError) Error() string { return e.message }

// parseFlags tells flags from arguments. What stands behind -- is returned as
// rest, and is nil when there is no --.
// Upstream: github.com/spf13/pflag, FlagSet.Parse.
func parseFlags(spec string, args []string, from int) (given values, arguments, rest []string, err error) {
	flags := parseSpec(spec + " " + globalFlags)
	given = values{}
	set := func(f flag, shown, value string, arg int) error {
		var wrong error
		switch f.kind {
		case isBool:
			_, wrong = strconv.ParseBool(value)
		case isNumber:
			_, wrong = strconv.ParseInt(value, 0, 64)
		case isDuration:
			_, wrong = time.ParseDuration(value)
		}
		if wrong != nil {
			return &flagError{arg, fmt.Sprintf("invalid argument %q for %q flag: %v", value, shown, wrong)}
		}
		if on, _ := strconv.ParseBool(value); f.absent && (on || f.kind != isBool) {
			return &flagError{arg, fmt.Sprintf("--%s is absent here", f.name)}
		}
		given[f.name] = append(given[f.name], value)
		return nil
	}
	for i := from; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return given, arguments, append([]string{}, args[i+1:]...), nil
		case strings.HasPrefix(arg, "--"):
			name, value, has := strings.Cut(arg[2:], "=")
			f, ok := find(flags, func(f flag) bool { return f.name == name })
			if !ok {
				return nil, nil, nil, &flagError{i, "unknown flag: --" + name}
			}
			at := i
			switch {
			case has:
			case f.bare != "":
				value = f.bare
			case i+1 == len(args):
				return nil, nil, nil, &flagError{i, "flag needs an argument: --" + name}
			default:
				i++
				value = args[i]
			}
			if err := set(f, shownFlag(f), value, at); err != nil {
				return nil, nil, nil, err
			}
		case strings.HasPrefix(arg, "-") && arg != "-":
			for at, letters := i, arg[1:]; letters != ""; {
				short := letters[:1]
				f, ok := find(flags, func(f flag) bool { return f.short == short })
				if !ok {
					return nil, nil, nil, &flagError{at, fmt.Sprintf("unknown shorthand flag: %q in %s", short[0], arg)}
				}
				value := letters[1:]
				letters = ""
				switch {
				case strings.HasPrefix(value, "="):
					value = value[1:]
				case f.bare != "":
					value, letters = f.bare, value
				case value == "" && i+1 == len(args):
					return nil, nil, nil, &flagError{at, fmt.Sprintf("flag needs an argument: %q in %s", short[0], arg)}
				case value == "":
					i++
					value = args[i]
				}
				if err := set(f, shownFlag(f), value, at); err != nil {
					return nil, nil, nil, err
				}
			}
		default:
			arguments = append(arguments, arg)
		}
	}
	return given, arguments, nil, nil
}

func find(flags []flag, is func(flag) bool) (flag, bool) {
	for _, f := range flags {
		if is(f) {
			return f, true
		}
	}
	return flag{}, false
}

func shownFlag(f flag) string {
	if f.short != "" {
		return "-" + f.short + ", --" + f.name
	}
	return "--" + f.name
}

// initial is what a flag is that nobody gives.
func (f flag) initial() string {
	switch f.otherwise {
	case noDefault:
		return ""
	case "":
	default:
		return f.otherwise
	}
	switch f.kind {
	case isBool:
		return "false"
	case isList:
		return "[]"
	case isNumber:
		return "0"
	case isDuration:
		return "0s"
	}
	return f.bare
}
