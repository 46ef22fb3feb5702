package hosting

import (
	"bytes"
	"flag"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/redirects"
	"kubewalk/generator/publish/precompressed"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew")

// page is long enough to be worth compressing.
var page = "<!doctype html><title>A page</title>" + strings.Repeat("<p>A ReplicaSet makes Pods.</p>\n", 100)

// written is a small site of every kind of file, as a build writes it.
func written(t *testing.T, prefix string) (dir string, rules headers.Rules) {
	t.Helper()
	tree := output.NewTree()
	for name, text := range map[string]string{"index.html": page, "404.html": "<!doctype html><title>Not found</title>", "en/index.html": page,
		"en/a b/index.html": page, "en/new/index.html": page, "en/x.md": "# 日本語\n", "ja/index.html": page, "embed/d/index.html": page,
		"embed.js": "export {}", "assets/page-0123456789.js": "let a", "assets/kubewalk-0123456789.wasm.zst": "(\xb5/\xfd",
		"assets/speculation-0123456789.json": "{}", "demos/d/wide.json.gz": "\x1f\x8b", "app.webmanifest": "{}"} {
		tree.Put(name, []byte(text))
	}
	link := func(path string) string { return prefix + path }
	tree.Put(redirects.File, []byte(redirects.Format([]redirects.Rule{{From: "/en/old/", To: "/en/new/#part"},
		{From: "/en/日本/", To: "https://elsewhere.example/$1"}, {From: "/was/*", To: "/en/*"}}, link)))
	rules = headers.For(tree.Paths(), prefix, headers.Allowed{Scripts: []string{"https://scripts.example"}}.Policy())
	tree.Put(output.MarkerFile, []byte(output.Marker+rules.String()))
	precompressed.Add(tree)
	dir = filepath.Join(t.TempDir(), "public")
	if err := tree.Write(dir); err != nil {
		t.Fatal(err)
	}
	for folder := dir; folder != os.TempDir() && len(folder) > 1; folder = filepath.Dir(folder) { // servers run as somebody else
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir, rules
}

// TestGolden holds the configurations to files that are read before they change: go test ./generator/publish/hosting -rewrite.
func TestGolden(t *testing.T) {
	for _, at := range []struct{ name, base, prefix string }{{"top", "https://book.example", ""}, {"below", "https://book.example/book", "/book"}} {
		dir, _ := written(t, at.prefix)
		site, err := Read(dir, at.base)
		if err != nil {
			t.Fatal(err)
		}
		site.Folder = "/srv/book"
		for _, server := range Servers() {
			file := filepath.Join("testdata", at.name+"."+server)
			got := []byte(site.Format(server))
			if *rewrite {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not what is written now (%v):\n%s", file, err, got)
			}
			if strings.Count(string(got), "{") != strings.Count(string(got), "}") {
				t.Errorf("%s: braces have no counterpart", file)
			}
			for _, rule := range site.Headers {
				for _, h := range rule.Headers {
					if h.Name != "Content-Type" && !strings.Contains(string(got), quoted(h.Value)) {
						t.Errorf("%s lacks the value of %s for %s", file, h.Name, rule.Path)
					}
				}
			}
		}
	}
}

func TestRead(t *testing.T) {
	dir, _ := written(t, "/book")
	empty, portable := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(portable, output.MarkerFile), []byte(output.Marker), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, base, want string }{
		{dir, "", `base URL "" is not an address`},
		{dir, "ftp://x", `base URL "ftp://x" is not an address`},
		{dir, "https://book.example", `built for addresses that begin with "/book/", and https://book.example has "/"`},
		{empty, "https://book.example", "there is no site (write it first: kubewalk build --base-url https://book.example"},
		{portable, "https://book.example", "needs no server"},
	} {
		if _, err := Read(c.dir, c.base); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s at %s: %v", c.dir, c.base, err)
		}
	}
	site, err := Read(dir, "https://book.example/book/")
	if err != nil || site.Prefix != "/book" || strings.Join(site.Encodings, " ") != "br gzip" ||
		strings.Join(site.Hidden, " ") != ".kubewalk-manifest.json _headers _redirects" {
		t.Errorf("%+v, %v", site, err)
	}
}

// start runs a server with a configuration on a free port; it skips the test where there is none of that name.
var start = map[string]func(t *testing.T, folder, program, config string) *exec.Cmd{
	"nginx": func(t *testing.T, folder, program, config string) *exec.Cmd {
		modules := ""
		if module := "/usr/lib/nginx/modules/ngx_http_brotli_static_module.so"; exists(module) {
			modules = "load_module " + module + ";\n"
			config = strings.ReplaceAll(config, "# brotli_static", "brotli_static")
		}
		write(t, folder, "site.conf", config)
		main := write(t, folder, "nginx.conf", modules+"daemon off;\npid "+folder+"/nginx.pid;\nerror_log stderr;\nevents { }\n"+
			"http {\naccess_log off;\ninclude site.conf;\n}\n")
		return exec.Command(program, "-p", folder, "-e", "stderr", "-c", main)
	},
	"caddy": func(t *testing.T, folder, program, config string) *exec.Cmd {
		return exec.Command(program, "run", "--adapter", "caddyfile", "--config", write(t, folder, "Caddyfile", "{\n\tadmin off\n}\n"+config))
	},
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

func write(t *testing.T, folder, name, text string) string {
	t.Helper()
	full := filepath.Join(folder, name)
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return full
}

// TestServers asks the real servers, where they are installed (Debian: nginx-light and caddy), whether they do what
// _headers and _redirects say.
func TestServers(t *testing.T) {
	for _, server := range Servers() {
		for _, prefix := range []string{"", "/book"} {
			t.Run(server+prefix, func(t *testing.T) {
				program, err := exec.LookPath(server)
				if err != nil {
					t.Skip(err)
				}
				dir, rules := written(t, prefix)
				listener, err := net.Listen("tcp", "127.0.0.1:0")
				if err != nil {
					t.Fatal(err)
				}
				base := "http://" + listener.Addr().String()
				_ = listener.Close()
				site, err := Read(dir, base+prefix)
				if err != nil {
					t.Fatal(err)
				}
				command := start[server](t, t.TempDir(), program, site.Format(server))
				var told bytes.Buffer
				command.Stdout, command.Stderr = &told, &told
				if err := command.Start(); err != nil {
					t.Fatal(err)
				}
				defer func() {
					_ = command.Process.Signal(os.Interrupt)
					_ = command.Wait()
					if t.Failed() {
						t.Log(told.String())
					}
				}()
				for range 100 {
					if c, err := net.Dial("tcp", listener.Addr().String()); err == nil {
						_ = c.Close()
						break
					}
					time.Sleep(50 * time.Millisecond)
				}
				ask(t, base, prefix, rules)
			})
		}
	}
}

func ask(t *testing.T, base, prefix string, rules headers.Rules) {
	get := func(path, accepted string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequest("GET", base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if accepted != "" {
			r.Header.Set("Accept-Encoding", accepted)
		}
		client := &http.Transport{DisableCompression: true}
		defer client.CloseIdleConnections()
		response, err := client.RoundTrip(r) // follows no redirects
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(body)
	}
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8", "/en/": "text/html; charset=utf-8",
		"/en/a%20b/": "text/html; charset=utf-8", "/en/x.md": "text/markdown; charset=utf-8", "/embed/d/": "text/html; charset=utf-8",
		"/%65mbed/d/": "text/html; charset=utf-8", "/%65n/": "text/html; charset=utf-8", "/embed.js": "text/javascript; charset=utf-8",
		"/assets/page-0123456789.js":           "text/javascript; charset=utf-8",
		"/assets/kubewalk-0123456789.wasm.zst": "application/zstd", "/assets/speculation-0123456789.json": "application/speculationrules+json",
		"/demos/d/wide.json.gz": "application/gzip", "/app.webmanifest": "application/manifest+json"} {
		response, _ := get(prefix+path, "")
		if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != kind || response.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %s, %q, %q", path, response.Status, response.Header.Get("Content-Type"), response.Header.Get("Content-Encoding"))
		}
		sameHeaders(t, path, response.Header, rules.Match(strings.ReplaceAll(strings.ReplaceAll(path, "%20", " "), "%65", "e")))
	}
	for _, path := range []string{"/nowhere", "/en/nowhere/", "/assets/gone.js", "/_headers", "/_redirects", "/.kubewalk-manifest.json"} {
		response, body := get(prefix+path, "")
		if response.StatusCode != http.StatusNotFound || !strings.Contains(body, "Not found") ||
			!strings.HasPrefix(response.Header.Get("Content-Type"), "text/html") {
			t.Errorf("%s: %s, %.60q", path, response.Status, body)
		}
		sameHeaders(t, path, response.Header, rules.Match(notFound))
	}
	for path, want := range map[string]string{"/en": prefix + "/en/", "/en/old": prefix + "/en/new/#part", "/en/old/": prefix + "/en/new/#part",
		"/en/%E6%97%A5%E6%9C%AC/": "https://elsewhere.example/", "/was/new/": prefix + "/en/new/"} {
		response, _ := get(prefix+path, "")
		to := response.Header.Get("Location")
		if response.StatusCode/100 != 3 || !strings.HasPrefix(to, want) || strings.HasPrefix(want, "/") && to != want {
			t.Errorf("%s: %s to %q, want %q", path, response.Status, to, want)
		}
	}
	for accepted, want := range map[string]string{"gzip": "gzip", "br": "br", "gzip, br": "br", "": ""} {
		response, body := get(prefix+"/en/", accepted)
		if got := response.Header.Get("Content-Encoding"); got != want && !(want == "br" && strings.HasPrefix(response.Header.Get("Server"), "nginx") &&
			!exists("/usr/lib/nginx/modules/ngx_http_brotli_static_module.so")) {
			t.Errorf("who accepts %q gets %q, %d bytes", accepted, got, len(body))
		}
		sameHeaders(t, accepted, response.Header, rules.Match("/en/"))
	}
}

// TestLimitsOfHosts: the two files that Netlify and Cloudflare read keep to what both take, as docs/hosting.md says: Cloudflare has
// 100 rules of headers in lines of 2,000 characters, and refuses "301!", for which the manual has a command.
func TestLimitsOfHosts(t *testing.T) {
	manual, err := os.ReadFile("../../../docs/hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	command := regexp.MustCompile(`sed -i 's/([^/]*)/([^/]*)/' public/_redirects`).FindSubmatch(manual)
	if command == nil {
		t.Fatal("the manual does not say how _redirects becomes Cloudflare's")
	}
	force := regexp.MustCompile(string(command[1]))
	for _, prefix := range []string{"", "/book"} {
		dir, rules := written(t, prefix)
		if len(rules) > 40 {
			t.Errorf("%d rules of headers", len(rules))
		}
		for _, file := range []string{output.MarkerFile, redirects.File} {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(strings.TrimSuffix(string(text), "\n"), "\n") {
				if len(line) > 1000 {
					t.Errorf("%s: a line of %d characters: %s", file, len(line), line)
				}
				if file != redirects.File {
					continue
				}
				fields := strings.Fields(force.ReplaceAllString(line, string(command[2])))
				if len(fields) != 3 || fields[2] != "301" || !strings.HasPrefix(fields[0], "/") || strings.Count(fields[0], "*") > 1 {
					t.Errorf("%s: %q becomes %q", file, line, fields)
				}
			}
		}
	}
}

// sameHeaders compares all headers that rules name. The policies may come as one header or as two.
func sameHeaders(t *testing.T, path string, got, want http.Header) {
	t.Helper()
	for _, name := range []string{"Content-Security-Policy", "Strict-Transport-Security", "X-Content-Type-Options", "Referrer-Policy", "Permissions-Policy",
		"Cross-Origin-Opener-Policy", "Cache-Control", "Access-Control-Allow-Origin", "Cross-Origin-Resource-Policy", "Cross-Origin-Embedder-Policy",
		"Speculation-Rules"} {
		if g, w := strings.Join(got.Values(name), ", "), want.Get(name); g != w {
			t.Errorf("%s: %s is %q, want %q", path, name, g, w)
		}
	}
}
