package kubectl

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Texts are the files and folders that a command line that Check has found right reads as they are.
func Texts(args []string) (out []string) {
	inv, err := parse(args)
	if err != nil {
		return nil
	}
	switch {
	case inv.name == "create secret tls":
		return append(inv.flags.all("cert"), inv.flags.all("key")...)
	case inv.name == "cp" && len(inv.args) == 2 && !strings.Contains(inv.args[0], ":"):
		return inv.args[:1]
	}
	for _, source := range splitAll(inv.flags.all("from-file")) {
		out = append(out, source[strings.IndexByte(source, '=')+1:])
	}
	return append(out, splitAll(inv.flags.all("from-env-file"))...)
}

// files are those that the command was given, as they are, and those on the terminal's machine, by their paths.
func (s *session) files() map[string]string {
	out := map[string]string{}
	if s.terminal != nil {
		maps.Copy(out, s.terminal.files)
	}
	var given map[string]any
	_ = decode(s.stdin, &given) // without any, there are none
	// order: each has its own name
	for name, file := range given {
		out[path.Clean(name)] = fileText(file)
	}
	return out
}

// fileText is a file's text, or what an editor shows of YAML that was read before.
func fileText(file any) string {
	if text, is := file.(string); is {
		return text
	}
	documents, several := file.([]any)
	isPatch := slices.ContainsFunc(documents, func(d any) bool { return at(d, "op") != nil }) // a JSON patch
	if !several || isPatch {
		return yamlText(file)
	}
	var texts []string
	for _, d := range documents {
		texts = append(texts, yamlText(d))
	}
	return strings.Join(texts, "---\n")
}

// InFolder is a file's path below a folder, if it is there.
func InFolder(file, folder string) (below string, is bool) {
	if folder = path.Clean(folder); folder == "." {
		return file, !path.IsAbs(file) && !strings.HasPrefix(file, "../")
	}
	return strings.CutPrefix(file, strings.TrimSuffix(folder, "/")+"/")
}

// sources are what a flag names, again and again or with commas.
func (s *session) sources(flag string) []string {
	return splitAll(slices.DeleteFunc(slices.Clone(s.flags.all(flag)), func(v string) bool { return v == "" }))
}

// keys are those of a ConfigMap or a Secret that is created.
type keys struct {
	kind, name string
	data       map[string][]byte
	files      map[string]string
}

// keysOf reads what the flags name. Upstream: kubectl pkg/cmd/create/create_configmap.go, createConfigMap; create_secret.go, createSecret.
func (s *session) keysOf(kind, name string) (map[string][]byte, error) {
	files, literals, envFiles := s.sources("from-file"), s.flags.all("from-literal"), s.sources("from-env-file")
	if len(envFiles) > 0 && len(files)+len(literals) > 0 {
		return nil, errors.New("from-env-file cannot be combined with from-file or from-literal")
	}
	k := &keys{kind, name, map[string][]byte{}, s.files()}
	var err error
	if kind == "ConfigMap" {
		err = k.addFiles(files)
	}
	if err == nil {
		err = k.addLiterals(literals)
	}
	if err == nil && kind == "Secret" {
		err = k.addFiles(files)
	}
	if err == nil {
		err = k.addEnvFiles(envFiles)
	}
	return k.data, err
}

// addLiterals reads --from-literal. Upstream: kubectl pkg/util/util.go, ParseLiteralSource.
func (k *keys) addLiterals(sources []string) error {
	for _, source := range sources {
		key, value, both := strings.Cut(source, "=")
		if !both || key == "" {
			return fmt.Errorf("invalid literal source %v, expected key=value", source)
		}
		if err := k.add(key, value); err != nil {
			return err
		}
	}
	return nil
}

// addFiles reads --from-file. Upstream: create_configmap.go, handleConfigMapFromFileSources; pkg/util/util.go, ParseFileSource.
func (k *keys) addFiles(sources []string) error {
	for _, source := range sources {
		key, file, named := strings.Cut(source, "=")
		switch {
		case !named:
			key, file = path.Base(source), source
		case strings.Contains(file, "="):
			return errors.New("key names or file paths cannot contain '='")
		case key == "":
			return fmt.Errorf("key name for file path %v missing", file)
		case file == "":
			return fmt.Errorf("file path for key name %v missing", key)
		}
		text, inside, err := k.read(file)
		switch {
		case err != nil:
			return err
		case inside == nil:
			err = k.add(key, text)
		case named:
			return errors.New("cannot give a key name for a directory path")
		}
		for _, name := range inside {
			if err == nil {
				err = k.add(name, k.files[path.Join(file, name)])
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// read returns a file's text, or the names of the files in a folder.
func (k *keys) read(file string) (text string, inside []string, err error) {
	text, is := k.files[path.Clean(file)]
	if is {
		return text, nil, nil
	}
	if path.Clean(file) == "." {
		inside = []string{}
	}
	for name := range k.files { // order: they are sorted
		below, is := InFolder(name, file)
		if is && inside == nil {
			inside = []string{}
		}
		if is && !strings.Contains(below, "/") {
			inside = append(inside, below)
		}
	}
	if inside == nil {
		return "", nil, fmt.Errorf("error reading %s: no such file or directory", file)
	}
	slices.Sort(inside)
	return "", inside, nil
}

// addEnvFiles reads --from-env-file.
//
// Simplified: the environment has no variables.
// Upstream: create_configmap.go, handleConfigMapFromEnvFileSources; pkg/cmd/util/env_file.go, AddFromEnvFile and processEnvFileLine.
func (k *keys) addEnvFiles(sources []string) error {
	for _, file := range sources {
		text, inside, err := k.read(file)
		if inside != nil {
			return fmt.Errorf("env %s file cannot be a directory", map[string]string{"ConfigMap": "config", "Secret": "secret"}[k.kind])
		}
		if err != nil {
			return err
		}
		for n, line := range strings.Split(text, "\n") {
			line = strings.TrimSuffix(line, "\r")
			if len(line) >= 64<<10 {
				break // as bufio.Scanner, of whose error nobody asks
			}
			if !utf8.ValidString(line) {
				return fmt.Errorf("env file %s contains invalid utf8 bytes at line %d: %v", file, n+1, []byte(line))
			}
			if n == 0 {
				line = strings.TrimPrefix(line, "\ufeff")
			}
			if line = strings.TrimLeftFunc(line, unicode.IsSpace); line == "" || line[0] == '#' {
				continue
			}
			key, value, _ := strings.Cut(line, "=")
			if err := variableName(key); err != nil {
				return err
			}
			if err := k.add(key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a key. Upstream: create_configmap.go, validateNewConfigMap; create_secret.go, addKeyFromLiteralToSecret.
func (k *keys) add(key, value string) error {
	wrong := keyErrors(key, false, "a valid config key must consist of alphanumeric characters, '-', '_' or '.' "+
		"(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')")
	if len(key) > 253 {
		wrong = append([]string{"must be no more than 253 characters"}, wrong...)
	}
	before, twice := k.data[key]
	switch isSecret := k.kind == "Secret"; {
	case len(wrong) > 0 && isSecret:
		return fmt.Errorf("%q is not valid key name for a Secret %s", key, strings.Join(wrong, ";"))
	case len(wrong) > 0:
		return fmt.Errorf("%q is not a valid key name for a ConfigMap: %s", key, strings.Join(wrong, ","))
	case twice && isSecret:
		return fmt.Errorf("cannot add key %s, another key by that name already exists", key)
	case twice:
		where := "Data"
		if !utf8.Valid(before) {
			where = "BinaryData"
		}
		return fmt.Errorf("cannot add key %q, another key by that name already exists in %s for ConfigMap %q", key, where, k.name)
	}
	k.data[key] = []byte(value)
	return nil
}

// variableName says what is wrong with the name of a variable.
func variableName(key string) error {
	digit := key != "" && key[0] >= '0' && key[0] <= '9'
	wrong := keyErrors(key, digit, "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', "+
		"and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')")
	if len(wrong) > 0 {
		return fmt.Errorf("%q is not a valid key name: %s", key, strings.Join(wrong, ";"))
	}
	return nil
}

// keyErrors are what is wrong with a key; other is what else is. Upstream: apimachinery pkg/util/validation, IsConfigMapKey and IsEnvVarName.
func keyErrors(key string, other bool, message string) (out []string) {
	if other || key == "" || strings.Trim(key, "-._0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		out = append(out, message)
	}
	switch {
	case key == "." || key == "..":
		out = append(out, "must not be '"+key+"'")
	case strings.HasPrefix(key, ".."):
		out = append(out, "must not start with '..'")
	}
	return out
}
