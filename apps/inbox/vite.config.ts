import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** Where `npm run dev -w apps/inbox` finds a running host; its Origin check must see its own address. */
const HOST = 'http://127.0.0.1:7420';
const toHost = { target: HOST, changeOrigin: true, headers: { origin: HOST } };

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['countersign-source', ...defaultClientConditions] },
  server: { proxy: { '/api': toHost, '/events': toHost, '/login': toHost } },
  build: {
    target: 'es2022',
    // The server's policy allows neither inline script nor data: URLs in scripts; `modulepreload` needs no help in these browsers.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: 'index.html', plain: 'src/plain.css' },
      // The server's own pages (log in, a used link) name their style sheet; everything else is found through index.html.
      output: {
        assetFileNames: ({ names }) => (names.includes('plain.css') ? 'inbox.css' : 'assets/[name]-[hash][extname]'),
      },
    },
  },
});
