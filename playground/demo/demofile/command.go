package demofile

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/yamltree"
)

// command reads a command line of kubectl's, as it would be typed:
//
//	kubectl: rollout undo deployment/web
//	kubectl: apply -f web                 # the manifest of that name; web.yaml too
//	kubectl: create -f -                  # with manifest: {…}, or manifest: | and YAML, in the step
//	kubectl: apply -k overlays/prod       # the manifests overlays/prod/kustomization, and those that it needs
//	kubectl: create secret tls web --cert=tls.crt --key=tls.key
//	kubectl: create configmap web --from-file=web.yaml
func (a *action) command() string {
	line := a.value.Text("kubectl")
	args, err := cluster.ParseCommand(line)
	if err != nil {
		a.badCommand(a.value, line, err)
		allUsed(a.manifests)
	}
	a.Args = args
	inline := a.step["manifest"]
	files := cluster.ManifestsOf(args)
	if inline.There() {
		switch {
		case err != nil:
		case len(files) != 1 || files[0] != "-":
			a.Fail(inline.Key, "a step's manifest is read only by -f -: write apply -f -, or remove the manifest")
		default:
			a.Manifest = a.inline(inline)
		}
		return ""
	}
	if cluster.FolderOf(args) != "" || len(cluster.TextsOf(args)) > 0 {
		a.read(line)
		return ""
	}
	return a.files(line, files)
}

// read looks up what is built, or read as it is: the files that are needed for it.
func (a *action) read(line string) {
	manifests := map[string]json.RawMessage{}
	for name, m := range a.manifests { // order: each fills its own key
		manifests[name] = m.text
	}
	args, text, err := scenario.ParseCommand(line, manifests, nil)
	if err != nil {
		a.badCommand(a.value, line, err)
		allUsed(a.manifests)
		return
	}
	a.Manifest = text
	for _, name := range scenario.NeededManifests(args, manifests) {
		a.manifests[name].used = true
	}
}

// badCommand says what is wrong with a command line, at its place in the value.
func (b *builder) badCommand(v value, line string, err error) {
	var wrong *cluster.CommandError
	errors.As(err, &wrong)
	message := strings.TrimPrefix(wrong.Message, "error: ")
	message, _, _ = strings.Cut(message, "\n")
	if len(wrong.Cure) > 0 {
		message += " (" + suggest.Cure(wordAt(line, wrong.At), wrong.Cure) + ")"
	}
	b.Fail(within(v, line, wrong.At), "%s", message)
}

// files looks up what -f names, and returns the name when it is one.
func (a *action) files(line string, files []string) string {
	var texts []json.RawMessage
	name := ""
	for _, file := range files {
		if file == "-" {
			a.Fail(a.value.At, "-f - reads the step's manifest, which is missing: add manifest: {…}")
			return ""
		}
		name = scenario.ManifestName(file)
		m := a.manifests[name]
		if m == nil {
			a.Fail(within(a.value, line, max(0, strings.LastIndex(line, file))), "unknown manifest %q (%s)", file, suggest.Cure(name, sorted(a.manifests)))
			if meant := a.manifests[suggest.Nearest(name, sorted(a.manifests))]; meant != nil {
				meant.used = true // that nobody applies it is the same mistake
			}
			return ""
		}
		m.used = true
		texts = append(texts, m.text)
	}
	switch len(texts) {
	case 0:
		return ""
	case 1:
		a.Manifest = texts[0]
		return name
	}
	a.Manifest, _ = json.Marshal(texts) // they are JSON
	return ""
}

// inline reads a manifest that stands in the step, as YAML or as a text that holds YAML.
func (a *action) inline(v value) json.RawMessage {
	if _, ok := v.Scalar(); ok {
		var docs []json.RawMessage
		trees, exact := v.Documents()
		for _, tree := range trees {
			out, err := tree.Root.JSON()
			if len(tree.Problems) > 0 {
				a.inText(v, tree.Problems, exact)
				return nil
			}
			if err != nil {
				a.Fail(v.At, "the manifest: %v", err)
				return nil
			}
			docs = append(docs, out)
		}
		if len(docs) == 1 {
			return docs[0]
		}
		out, _ := json.Marshal(docs) // they are JSON
		return out
	}
	v.open("the manifest", "{apiVersion: apps/v1, kind: ReplicaSet, …}")
	out, err := v.JSON()
	if err != nil {
		a.Fail(v.At, "the manifest: %v", err)
	}
	return out
}

// inText reports what is wrong in a text that holds YAML: at its place in the file, if the text stands there as it is.
func (b *builder) inText(v value, problems []yamltree.Problem, exact bool) {
	for _, p := range problems {
		at := v.At
		if exact {
			at = p.Place
		}
		b.Cure(at, p.Cure, "the manifest cannot be read: %s", p.Message)
	}
}

// wordAt is the word that begins at a byte of a line.
func wordAt(line string, at int) string {
	word, _, _ := strings.Cut(line[min(at, len(line)):], " ")
	word, _, _ = strings.Cut(word, "=")
	return word
}

// within is the place of a byte of a text, when the text stands on one line as it is.
func within(v value, text string, at int) yamltree.Place {
	p := v.At
	quoted, block := v.Quoted()
	if block || strings.Contains(text, "\n") || quoted && strings.ContainsAny(text, `'"\`) {
		return p // it is written otherwise in the file
	}
	if quoted {
		p.Column++
	}
	p.Column += utf8.RuneCountInString(text[:min(at, len(text))])
	return p
}
