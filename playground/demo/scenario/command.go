package scenario

import (
	"encoding/json"
	"strings"

	"kubewalk/playground/cluster"
	"kubewalk/playground/cluster/suggest"
)

// ParseCommand reads a command line of kubectl's. What -f names is one of the
// manifests, with or without .yaml. The error is a *cluster.CommandError.
func ParseCommand(line string, manifests map[string]json.RawMessage) (args []string, manifest json.RawMessage, err error) {
	args, err = cluster.ParseCommand(line)
	if err != nil {
		return nil, nil, err
	}
	var texts []json.RawMessage
	for _, file := range cluster.ManifestsOf(args) {
		text, ok := manifests[ManifestName(file)]
		if !ok {
			wrong := &cluster.CommandError{At: max(0, strings.LastIndex(line, file)), Message: `error: the path "` + file + `" does not exist`}
			if file == "-" {
				wrong.Message = "error: no objects passed to " + args[0]
			}
			for name := range manifests { // order: whoever shows them looks for the nearest, or sorts
				wrong.Cure = append(wrong.Cure, name+strings.TrimPrefix(file, ManifestName(file)))
			}
			return nil, nil, wrong
		}
		texts = append(texts, text)
	}
	switch len(texts) {
	case 0:
	case 1:
		manifest = texts[0]
	default:
		manifest, _ = json.Marshal(texts) // they are JSON
	}
	return args, manifest, nil
}

// ManifestName is the name of the manifest that a file's name means.
func ManifestName(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, ".yaml"), ".yml")
}

// Cure is the word that was probably meant where a command line is wrong; "" for none.
func Cure(line string, wrong *cluster.CommandError) string {
	word, _, _ := strings.Cut(line[min(wrong.At, len(line)):], " ")
	word, _, _ = strings.Cut(word, "=")
	return suggest.Nearest(word, wrong.Cure)
}
