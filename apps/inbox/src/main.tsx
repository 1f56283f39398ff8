import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import './app.css';
import { clock } from './data/client.ts';
import { createQueryClient } from './data/query-client.ts';
import { Breakage } from './parts/breakage.tsx';
import { setClock } from './ui/now.ts';
import { startSettings } from './ui/settings.ts';

startSettings();
setClock(clock.now);

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no #root.');
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={createQueryClient()}>
        <Breakage>
          <App />
        </Breakage>
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
