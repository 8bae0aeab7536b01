import { defineConfig } from "vite";

// One script for the first view, one for each further language. Names contain a hash of the contents, so that they
// are cached for ever; nothing is inlined, which the content security policy would block.
export default defineConfig({
  base: "/",
  build: {
    target: "es2022",
    outDir: "../crates/serve/dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: false,
    sourcemap: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
      },
    },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
