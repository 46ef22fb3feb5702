package upstream

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// citation is how this project's comments say what something is upstream:
//
//	Upstream: replica_set.go, manageReplicas.
//	Upstream: pkg/kubelet/lifecycle/predicate.go Admit
//	Upstream: Kubelet.SyncPod.
//	Upstream: patch.go, the function of that name.
var citation = regexp.MustCompile(`Upstream:\s+(?:([\w./-]+\.go)(?:,?\s+|[.;]|$))?(the \w+ of that name|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)?`)

// Cited is the symbol that a doc comment says it is upstream, as Link wants it.
// file and symbol are what the comment belongs to. Where it is not clear which
// one is meant, there is none.
func Cited(doc, file, symbol string) (reference string, ok bool) {
	m := citation.FindStringSubmatch(strings.Join(strings.Fields(doc), " "))
	if m == nil {
		return "", false
	}
	name := m[2]
	if name == "" || strings.HasPrefix(name, "the ") {
		name = symbol
	}
	if m[1] == "" && m[2] == "" || name == "" {
		return "", false
	}
	if found := candidates(m[1], name); len(found) == 1 {
		return found[0], true
	} else if len(found) > 1 {
		// The package here is called as the one there.
		found = slices.DeleteFunc(found, func(reference string) bool {
			there, _, _ := strings.Cut(reference, "#")
			return path.Base(path.Dir(there)) != path.Base(path.Dir(file))
		})
		if len(found) == 1 {
			return found[0], true
		}
	}
	return "", false
}

// candidates are the symbols of that name, or methods of it, in files whose path
// ends so; in any file for "".
func candidates(file, name string) (out []string) {
	if file == "" { // a method's name alone is that of many
		for _, p := range declaring(name) {
			out = append(out, p+"#"+name)
		}
		return out
	}
	_, files := table()
	for p := range files {
		if p != file && !strings.HasSuffix(p, "/"+file) {
			continue
		}
		symbols, _ := symbolsOf(p)
		if _, ok := symbols[name]; ok {
			out = append(out, p+"#"+name)
			continue
		}
		for known := range symbols {
			if _, method, ok := strings.Cut(known, "."); ok && method == name[strings.LastIndexByte(name, '.')+1:] {
				out = append(out, p+"#"+known)
			}
		}
	}
	slices.Sort(out)
	return out
}
