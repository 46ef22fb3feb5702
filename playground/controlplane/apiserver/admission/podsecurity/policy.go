// Package podsecurity judges Pods by the Pod Security Standards: privileged, baseline and restricted, as a namespace's labels ask
// for them, in the version of Kubernetes that they name.
//
// Absent: exemptions by user, namespace or runtime class, and defaults for the cluster, which are files of a real API server.
// Upstream: k8s.io/pod-security-admission.
package podsecurity

import (
	"fmt"
	"strconv"
	"strings"

	"kubewalk/playground/api/field"
)

// Level is how much Pods may do. Upstream: pod-security-admission/api/constants.go.
type Level string

// The levels, from the one that allows most.
const (
	Privileged Level = "privileged"
	Baseline   Level = "baseline"
	Restricted Level = "restricted"
)

var strictness = map[Level]int{Privileged: 0, Baseline: 1, Restricted: 2}

// latest is the version that a label asks for with the word or by saying nothing: the minor version of "v1.x" otherwise.
const latest = 1 << 30

// LevelVersion is a level as one version of Kubernetes understood it.
type LevelVersion struct {
	Level Level
	minor int
}

// String is "restricted:latest" or "baseline:v1.28".
func (lv LevelVersion) String() string {
	if lv.minor == latest {
		return string(lv.Level) + ":latest"
	}
	return fmt.Sprintf("%s:v1.%d", lv.Level, lv.minor)
}

// StricterThan tells whether Pods that another policy allows may be refused. Upstream: Admission.ValidateNamespace.
func (lv LevelVersion) StricterThan(other LevelVersion) bool {
	return lv != other && lv.Level != Privileged && (lv.minor != other.minor || strictness[lv.Level] > strictness[other.Level])
}

// Policy is what a namespace asks for: what is refused, and of what clients are warned.
type Policy struct{ Enforce, Warn LevelVersion }

// labelPrefix begins the labels of a namespace: "pod-security.kubernetes.io/enforce", "…/enforce-version".
const labelPrefix = "pod-security.kubernetes.io/"

// PolicyOf reads a namespace's labels. What cannot be read counts as restricted, or for warnings as privileged.
// Upstream: pod-security-admission/api/helpers.go, PolicyToEvaluate.
func PolicyOf(labels map[string]string) (Policy, field.ErrorList) {
	p := Policy{LevelVersion{Privileged, latest}, LevelVersion{Privileged, latest}}
	var errs field.ErrorList
	level := func(mode string, into *LevelVersion, otherwise Level) (there, ok bool) {
		text, there := labels[labelPrefix+mode]
		if !there {
			return false, false
		}
		if _, ok = strictness[Level(text)]; ok {
			into.Level = Level(text)
			return true, true
		}
		into.Level = otherwise
		errs = append(errs, field.Invalid(label(mode), text, "must be one of privileged, baseline, restricted"))
		return true, false
	}
	version := func(mode string, into *LevelVersion) bool {
		text, there := labels[labelPrefix+mode+"-version"]
		if !there {
			return false
		}
		var ok bool
		if into.minor, ok = parseVersion(text); !ok {
			errs = append(errs, field.Invalid(label(mode+"-version"), text, `must be "latest" or "v1.x"`))
		}
		return true
	}
	_, enforces := level("enforce", &p.Enforce, Restricted)
	version("enforce", &p.Enforce)
	audit := LevelVersion{Privileged, latest} // there is no audit log, but its labels have to be right
	level("audit", &audit, Privileged)
	version("audit", &audit)
	warns, _ := level("warn", &p.Warn, Privileged)
	warnVersion := version("warn", &p.Warn)
	if !warns && enforces && strictness[p.Enforce.Level] > strictness[p.Warn.Level] {
		p.Warn.Level = p.Enforce.Level
		if !warnVersion {
			p.Warn.minor = p.Enforce.minor
		}
	}
	return p, errs
}

func label(name string) *field.Path {
	return field.NewPath("metadata", "labels").Key(labelPrefix + name)
}

// parseVersion reads "latest", or "v1.28" without zeros in front.
func parseVersion(text string) (minor int, ok bool) {
	if text == "latest" {
		return latest, true
	}
	digits, ok := strings.CutPrefix(text, "v1.")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || strconv.Itoa(n) != digits || n < 0 {
		return latest, false
	}
	return n, true
}

// Result is what is wrong with a Pod: nothing, if it is empty. The two have the same length.
type Result struct{ Reasons, Details []string }

// Reason lists what is wrong, in brief.
func (r *Result) Reason() string { return strings.Join(r.Reasons, ", ") }

// Detail lists what is wrong, and where. Upstream: policy/checks.go, AggregateCheckResult.ForbiddenDetail.
func (r *Result) Detail() string {
	var out []string
	for i, reason := range r.Reasons {
		if d := r.Details[i]; d != "" {
			reason += " (" + d + ")"
		}
		out = append(out, reason)
	}
	return strings.Join(out, ", ")
}
